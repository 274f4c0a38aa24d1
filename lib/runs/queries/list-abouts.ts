import type { RunStatus } from "@/lib/runs/rules/run-state";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { openBehind } from "@/lib/runs/queries/open-behind";
import { callsInOrder } from "@/lib/runs/rules/run-places";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/** What a run is about in one line, made from facts: what it waits for, and its params. */
type Abouts = ReadonlyMap<string, string>;

type Snapshots = ReadonlyMap<string, RunSnapshot>;

const VALUE_LENGTH_MAX = 160;
const VALUES_MAX = 8;
const LENGTH_MAX = 600;

/**
 * For the runs of a page; empty for one without params. Each is found by its key, and only the beginning of each param
 * is read. `behind` are runs that are not fully projected, if the caller has them.
 */
export async function listAbouts(
  db: Db,
  runs: readonly { id: string; status: RunStatus }[],
  behind?: Snapshots,
): Promise<Abouts> {
  const ids = runs.map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const snapshots = behind ?? (await openBehind(db, ids));
  const asking = runs
    .filter(({ status }) => status === "pending_approval" || status === "needs_human_review")
    .map(({ id }) => id);
  const [params, waiting, unknown] = await Promise.all([
    listParams(db, ids),
    asking.length === 0 ? [] : listWaiting(db, asking),
    listUnknown(db, ids, snapshots),
  ]);
  const lines = new Map(params.map(({ id, values }) => [id, describeParams(values ?? [])]));
  const begin = (id: string, words: string) => lines.set(id, [words, lines.get(id)].filter(Boolean).join(" · "));
  for (const { id, name, count } of waiting) begin(id, `${name}${count > 1 ? `, and ${count - 1} more` : ""}`);
  for (const { id, name } of unknown) begin(id, `Outcome unknown: ${name}`);
  return new Map([...lines].map(([id, line]) => [id, clip(showInvisible(line.replaceAll(/\s+/gu, " ")), LENGTH_MAX)]));
}

/** Short values distinguish runs best: a number, a name. */
function describeParams(values: readonly [name: string, value: string][]): string {
  return values
    .toSorted(([, one], [, other]) => one.length - other.length)
    .map(([name, value]) => `${name} ${clip(value, VALUE_LENGTH_MAX)}`)
    .join(", ");
}

const clip = (text: string, max: number): string =>
  text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;

function listParams(db: Db, ids: string[]): Promise<{ id: string; values: [string, string][] | null }[]> {
  return db.$queryRaw`
    SELECT r.id, (
      SELECT json_agg(json_build_array(key, value)) FROM (
        SELECT key, left(value #>> '{}', ${VALUE_LENGTH_MAX + 1}::int) AS value FROM jsonb_each(r.params) WHERE value NOT IN ('null', '"[secret]"', '""', '[]', '{}') LIMIT ${VALUES_MAX}
      ) AS short
    ) AS values
    FROM runs r WHERE r.id = ANY (${ids})`;
}

interface Named {
  id: string;
  /** The sentence on the call's card, or the tool's name. */
  name: string;
}

function listWaiting(db: Db, ids: string[]): Promise<(Named & { count: number })[]> {
  return db.$queryRaw`
    SELECT DISTINCT ON (run_id) run_id AS id, coalesce(nullif(summary, ''), server || '.' || tool) AS name, (count(*) OVER (PARTITION BY run_id))::int AS count
    FROM approvals WHERE run_id = ANY (${ids}) AND status = 'pending' ORDER BY run_id, id`;
}

async function listUnknown(db: Db, ids: string[], behind: Snapshots): Promise<Named[]> {
  const projected = ids.filter((id) => !behind.has(id));
  const rows = await db.$queryRaw<Named[]>`
    SELECT DISTINCT ON (e.chain_id) e.chain_id AS id, c.name FROM events e CROSS JOIN LATERAL (
      SELECT coalesce(nullif(summary, ''), server || '.' || tool) AS name FROM calls WHERE id = e.data ->> 'call_id' AND status = 'outcome_unknown' LIMIT 1
    ) AS c WHERE e.chain_id = ANY (${projected}) AND e.type = 'call.outcome_unknown' ORDER BY e.chain_id, e.seq, e.place`;
  const folded = [...behind].flatMap(([id, snapshot]) => {
    const call = callsInOrder(snapshot).find(({ status }) => status === "outcome_unknown");
    return call ? [{ id, name: call.summary || `${call.server}.${call.tool}` }] : [];
  });
  return [...rows, ...folded];
}
