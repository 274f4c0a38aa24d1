import type { Db } from "@/lib/database/client";
import { dumpDatabase } from "@/lib/testing/dump-database";
import type { Place } from "./search";

/** The column of the journal with a run's changes, from which it continues; its events, which are shown, are in another one. */
const CHANGES = /(?<=\t)data=[^\t\n]*/g;

/** Every row of every table. Columns of bytes are dumped in hexadecimal; what they hold as text is there too. */
export async function readDatabase(db: Db): Promise<Place[]> {
  return Object.entries(await dumpDatabase(db)).flatMap(([table, text]) => {
    if (!table.startsWith("journal")) return [toPlace(`table ${table}`, text)];
    const changes = (text.match(CHANGES) ?? []).join("\n");
    return [toPlace(`table ${table}`, text.replaceAll(CHANGES, "")), toPlace(`changes in ${table}`, changes)];
  });
}

const toPlace = (name: string, text: string): Place => ({ name, text: `${text}\n${readBytes(text)}` });

function readBytes(dump: string): string {
  return [...dump.matchAll(/\\x([0-9a-f]{16,})/g)]
    .map(([, hex = ""]) => Buffer.from(hex, "hex").toString("latin1"))
    .join("\n");
}
