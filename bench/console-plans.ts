/** Which statements a piece of work sends, and whether Postgres scans a large table for them. */
import pg from "pg";

interface Statement {
  text: string;
  values: unknown[];
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  Plans?: Plan[];
}

/** Tables that grow with every run. */
const LARGE = new Set([
  "runs",
  "run_search",
  "approval_search",
  "projected_runs",
  "steps",
  "turns",
  "calls",
  "approvals",
  "decisions",
  "set_asides",
  "events",
]);

export async function watchStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const seen: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function watched(this: pg.Client, ...args: Parameters<typeof query>) {
    const [config, values] = args as unknown as [string | { text: string; values?: unknown[] }, unknown[]?];
    seen.push(
      typeof config === "string"
        ? { text: config, values: values ?? [] }
        : { text: config.text, values: config.values ?? values ?? [] },
    );
    return query.apply(this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return seen.filter(({ text }) => /^\s*(\/\*.*?\*\/\s*)?(select|with)\b/i.test(text));
}

/** As "runs: SELECT …", both for these values and for the generic plan. */
export async function findWholeReads(client: pg.Client, statements: readonly Statement[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { text, values } of statements) {
    const { rows } = await client.query({ text: `EXPLAIN (FORMAT JSON) ${text}`, values });
    const plan = (rows[0]["QUERY PLAN"] as { Plan: Plan }[])[0]?.Plan;
    for (const table of plan ? wholeReads(plan) : [])
      found.add(`${table}: ${text.replaceAll(/\s+/g, " ").slice(0, 160)}`);
  }
  return [...found];
}

function wholeReads(plan: Plan): string[] {
  const own =
    plan["Node Type"] === "Seq Scan" && LARGE.has(plan["Relation Name"] ?? "") ? [plan["Relation Name"] ?? ""] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(wholeReads)];
}
