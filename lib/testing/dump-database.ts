import type { Db } from "@/lib/store/client";

/** Every row of every table as text, by table; what is kept as bytes is there in hexadecimal. */
export async function dumpDatabase(db: Db): Promise<Record<string, string>> {
  const tables = await db.$queryRaw<{ name: string }[]>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
  const dumped = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await db.$queryRawUnsafe<{ text: string | null }[]>(`SELECT string_agg(t::text, E'\\n' ORDER BY t::text) AS text FROM "${name}" AS t`);
      return [name, row?.text ?? ""] as const;
    }),
  );
  return Object.fromEntries(dumped);
}
