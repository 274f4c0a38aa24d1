/** Makes many paused runs out of one: the same rows under other ids. Their trail stays empty, as nothing of it is read while they wait. */
import pg from "pg";

/** The last letters of each id are replaced by a number; the run has one step, one turn, one call and one question, so that each id is new. */
const NUMBER_LENGTH = 8;
const TABLES = [
  { table: "runs", where: "id", ids: ["id"], also: `'workflow', 'paused'` },
  { table: "run_search", where: "run_id", ids: ["run_id"], also: "" },
  { table: "steps", where: "run_id", ids: ["id", "run_id"], also: "" },
  { table: "turns", where: "run_id", ids: ["id", "run_id", "step_id"], also: "" },
  { table: "calls", where: "run_id", ids: ["id", "run_id", "step_id", "turn_id"], also: "" },
  { table: "approvals", where: "run_id", ids: ["id", "run_id", "step_id", "call_id"], also: `'workflow', 'paused'` },
];

export async function seedPaused(url: string, runId: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const { table, where, ids, also } of TABLES) {
      const changes = [...ids.map((id) => `'${id}', left(original_row.${id}, -${NUMBER_LENGTH}) || lpad(n::text, ${NUMBER_LENGTH}, '0')`), ...(also ? [also] : [])].join(", ");
      const columns = await listColumns(client, table);
      const { rowCount } = await client.query(
        `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${columns.map((column) => `made.${column}`).join(", ")} FROM ${table} AS original_row, generate_series(1, $2::int) AS n, LATERAL jsonb_populate_record(NULL::${table}, to_jsonb(original_row) || jsonb_build_object(${changes})) AS made WHERE original_row.${where} = $1`,
        [runId, count],
      );
      if (rowCount !== count) throw new Error(`${count} rows were due in ${table}, ${rowCount} were made: the run must have one step, one turn, one call and one question`);
    }
    await client.query("VACUUM ANALYZE");
  } finally {
    await client.end();
  }
}

/** Without those that Postgres makes from the others. */
async function listColumns(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query("SELECT quote_ident(column_name) AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1 AND is_generated = 'NEVER' ORDER BY ordinal_position", [table]);
  return rows.map(({ name }) => name as string);
}
