import type { Db } from "@/lib/store/client";
import { dumpDatabase } from "@/lib/testing/dump-database";
import type { Place } from "./search";

/** Every row of every table. Columns of bytes are dumped in hexadecimal; what they hold as text is there too. */
export async function readDatabase(db: Db): Promise<Place[]> {
  return Object.entries(await dumpDatabase(db)).map(([table, text]) => ({ name: `table ${table}`, text: `${text}\n${readBytes(text)}` }));
}

function readBytes(dump: string): string {
  return [...dump.matchAll(/\\x([0-9a-f]{16,})/g)].map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1")).join("\n");
}
