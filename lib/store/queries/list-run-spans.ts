import type { Db } from "@/lib/store/client";
import { stepTree } from "@/lib/store/queries/step-tree-sql";

/** A stretch of time in which a model or a tool worked, or a person was waited for; or several of them that lie close together. */
export interface RunSpan {
  kind: "model" | "tool" | "person";
  rootStepId: string;
  from: Date;
  to: Date;
  /** How many it stands for. */
  count: number;
  /** Their lengths together; those of several leave out the time between them. */
  workMs: number;
  /** Which turn or tool it was, and what became of it; empty where there are too many to name each. */
  name: string;
  status: string;
}

interface Row {
  kind: RunSpan["kind"];
  root: string;
  /** Milliseconds after `from`, when there are few enough to name each. */
  each: { began: number; ended: number; thing: string; part: string; status: string }[] | null;
  /** In seconds as text, "began,ended;…", when there are more: a row for each would take longer to bring over than all the rest. */
  packed: string | null;
}

/**
 * Where the time of a run went, of all of it or of a part. For each kind and step there are at most `max`: when there are more, they are
 * parted where nothing happened for longest, and what lies between is one. So it is never cut, and a narrower part has more detail.
 * From when nobody knew what became of a call, until someone settled it, a person was waited for and no tool worked.
 */
export async function listRunSpans(db: Db, runId: string, { from, to, max }: { from: Date; to: Date; max: number }): Promise<RunSpan[]> {
  const rows = await db.$queryRaw<Row[]>`
    WITH RECURSIVE ${stepTree(runId)}, unknown AS MATERIALIZED (
      SELECT body::jsonb #>> '{data,call_id}' AS call_id, max(at) AS at FROM events WHERE chain_id = ${runId} AND type = 'call.outcome_unknown' GROUP BY 1
    ), spans AS MATERIALIZED (
      SELECT 'model' AS kind, tree.root, t.created_at - t.duration_ms * interval '1 millisecond' AS began, t.created_at AS ended, 'turn' AS thing, t.number::text AS part, '' AS status
      FROM turns t JOIN tree ON tree.id = t.step_id WHERE t.run_id = ${runId} AND t.created_at >= ${from} AND t.created_at - t.duration_ms * interval '1 millisecond' <= ${to}
      UNION ALL
      SELECT 'tool', tree.root, c.executing_at, greatest(c.executing_at, coalesce(u.at, c.completed_at, ${to})), c.server, c.tool, c.status::text
      FROM calls c JOIN tree ON tree.id = c.step_id LEFT JOIN unknown u ON u.call_id = c.id AND u.at >= c.executing_at
      WHERE c.run_id = ${runId} AND c.executing_at <= ${to} AND coalesce(u.at, c.completed_at, ${to}) >= ${from}
      UNION ALL
      SELECT 'person', tree.root, u.at, greatest(u.at, coalesce(c.completed_at, ${to})), c.server, c.tool, 'outcome_unknown'
      FROM calls c JOIN tree ON tree.id = c.step_id JOIN unknown u ON u.call_id = c.id AND u.at >= c.executing_at
      WHERE c.run_id = ${runId} AND u.at <= ${to} AND coalesce(c.completed_at, ${to}) >= ${from}
      UNION ALL
      SELECT 'person', tree.root, a.created_at, greatest(a.created_at, coalesce(a.decided_at, ${to})), a.server, a.tool, a.status::text
      FROM approvals a JOIN tree ON tree.id = a.step_id WHERE a.run_id = ${runId} AND a.created_at <= ${to} AND coalesce(a.decided_at, ${to}) >= ${from}
    ), totals AS (SELECT kind, root, count(*) AS total FROM spans GROUP BY kind, root)
    SELECT kind, root,
      json_agg(json_build_object('began', date_part('epoch', began - ${from}::timestamptz) * 1000, 'ended', date_part('epoch', ended - ${from}::timestamptz) * 1000, 'thing', thing, 'part', part, 'status', status)) FILTER (WHERE total <= ${max}) AS each,
      string_agg(date_part('epoch', began - ${from}::timestamptz) || ',' || date_part('epoch', ended - ${from}::timestamptz), ';') FILTER (WHERE total > ${max}) AS packed
    FROM spans JOIN totals USING (kind, root) GROUP BY kind, root`;
  const at = (ms: number): Date => new Date(from.getTime() + Math.round(ms));
  return rows
    .flatMap(({ kind, root: rootStepId, each, packed }): RunSpan[] =>
      packed === null
        ? (each ?? []).map(({ began, ended, thing, part, status }) => ({ kind, rootStepId, from: at(began), to: at(ended), count: 1, workMs: Math.round(ended - began), name: kind === "model" ? `${thing} ${part}` : `${thing}.${part}`, status }))
        : partAtLargestGaps(unpack(packed), max).map(({ began, ended, count, workMs }) => ({ kind, rootStepId, from: at(began), to: at(ended), count, workMs: Math.round(workMs), name: "", status: "" })),
    )
    .toSorted((one, other) => one.from.getTime() - other.from.getTime());
}

interface Stretch {
  began: number;
  ended: number;
}

function unpack(packed: string): Stretch[] {
  return packed.split(";").map((pair) => {
    const comma = pair.indexOf(",");
    return { began: Number(pair.slice(0, comma)) * 1000, ended: Number(pair.slice(comma + 1)) * 1000 };
  });
}

function partAtLargestGaps(stretches: readonly Stretch[], max: number): (Stretch & { count: number; workMs: number })[] {
  const sorted = stretches.toSorted((one, other) => one.began - other.began);
  let end = Number.NEGATIVE_INFINITY;
  const gaps = sorted.map(({ began, ended }, index) => {
    const length = began - end;
    end = Math.max(end, ended);
    // Gaps of the same length are taken here and there, or all detail would be at one end.
    return { index, length, chance: (index * 2_654_435_761) % 4_294_967_296 };
  });
  const begins = new Set(gaps.toSorted((one, other) => other.length - one.length || one.chance - other.chance).slice(0, max).map(({ index }) => index));
  const parts: (Stretch & { count: number; workMs: number })[] = [];
  for (const [index, { began, ended }] of sorted.entries()) {
    const part = begins.has(index) ? undefined : parts.at(-1);
    if (!part) parts.push({ began, ended, count: 1, workMs: ended - began });
    else Object.assign(part, { ended: Math.max(part.ended, ended), count: part.count + 1, workMs: part.workMs + ended - began });
  }
  return parts;
}
