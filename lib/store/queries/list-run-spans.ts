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
  /** Of the only one, or of the first. */
  name: string;
  status: string;
}

interface Row {
  kind: RunSpan["kind"];
  root: string;
  began: Date;
  ended: Date;
  count: number;
  work_ms: number;
  name: string;
  status: string;
}

/**
 * Where the time of a run went, of all of it or of a part. For each kind and step there are at most `max`: when there are more, they are
 * parted where nothing happened for longest, and what lies between is one. So it is never cut, and a narrower part has more detail.
 */
export async function listRunSpans(db: Db, runId: string, { from, to, max }: { from: Date; to: Date; max: number }): Promise<RunSpan[]> {
  const rows = await db.$queryRaw<Row[]>`
    WITH RECURSIVE ${stepTree(runId)}, spans AS (
      SELECT 'model' AS kind, t.id, tree.root, t.created_at - t.duration_ms * interval '1 millisecond' AS began, t.created_at AS ended, 'turn ' || t.number AS name, '' AS status
      FROM turns t JOIN tree ON tree.id = t.step_id WHERE t.run_id = ${runId}
      UNION ALL
      SELECT 'tool', c.id, tree.root, c.executing_at, greatest(c.executing_at, coalesce(c.completed_at, ${to})), c.server || '.' || c.tool, c.status::text
      FROM calls c JOIN tree ON tree.id = c.step_id WHERE c.run_id = ${runId} AND c.executing_at IS NOT NULL
      UNION ALL
      SELECT 'person', a.id, tree.root, a.created_at, greatest(a.created_at, coalesce(a.decided_at, ${to})), a.server || '.' || a.tool, a.status::text
      FROM approvals a JOIN tree ON tree.id = a.step_id WHERE a.run_id = ${runId}
    ), gaps AS (
      SELECT *, began - max(ended) OVER (PARTITION BY kind, root ORDER BY began, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS gap
      FROM spans WHERE ended >= ${from} AND began <= ${to}
    ), ranked AS (
      -- Gaps of the same length are taken here and there, or all detail would be at one end.
      SELECT *, row_number() OVER (PARTITION BY kind, root ORDER BY gap DESC NULLS FIRST, hashtext(id)) AS rank FROM gaps
    ), parted AS (
      SELECT *, sum((rank <= ${max})::int) OVER (PARTITION BY kind, root ORDER BY began, id ROWS UNBOUNDED PRECEDING) AS part FROM ranked
    )
    SELECT kind, root, min(began) AS began, max(ended) AS ended, count(*)::int AS count, sum(extract(epoch FROM ended - began) * 1000)::float8 AS work_ms,
      (array_agg(name ORDER BY began, id))[1] AS name, (array_agg(status ORDER BY began, id))[1] AS status
    FROM parted GROUP BY kind, root, part ORDER BY began`;
  return rows.map(({ root, began, ended, work_ms: workMs, ...span }) => ({ ...span, rootStepId: root, from: began, to: ended, workMs: Math.round(workMs) }));
}
