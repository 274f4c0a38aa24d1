import type { Db } from "@/lib/database/client";

/**
 * Every row of every table as text, by table; bytes are in hexadecimal. Each column is separate and unescaped:
 * Postgres's text form of a whole row doubles quotes and backslashes, so a search for a text that holds one would not
 * find it.
 */
export async function dumpDatabase(db: Db): Promise<Record<string, string>> {
  const tables = await db.$queryRaw<
    { name: string }[]
  >`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`;
  const dumped = await Promise.all(
    tables.map(async ({ name }) => {
      const [row] = await db.$queryRawUnsafe<{ text: string | null }[]>(
        `SELECT string_agg(line, E'\\n' ORDER BY line) AS text FROM "${name}" AS t, LATERAL (SELECT string_agg(key || '=' || coalesce(value, 'null'), E'\\t' ORDER BY key) AS line FROM jsonb_each_text(to_jsonb(t))) AS columns`,
      );
      return [name, row?.text ?? ""] as const;
    }),
  );
  return Object.fromEntries(dumped);
}
