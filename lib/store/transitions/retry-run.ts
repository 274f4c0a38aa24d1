/**
 * Creates a run that goes on where another one ended: steps that ended well come along with their outputs, all others begin anew.
 * False when the old run was retried by someone else meanwhile; then nothing was created.
 */
import type { Db } from "@/lib/store/client";
import { insertEvents } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";
import type { NewRun } from "@/lib/store/transitions/start-run";

export interface CopiedStep {
  id: string;
  /** The step of the old run that it stands for. */
  fromId: string;
  parentId: string | null;
  /** Comes along with its output; figures do not, because nothing is paid again. */
  kept: boolean;
}

export interface RetriedRun extends Omit<NewRun, "steps" | "retryOfRunId"> {
  retryOfRunId: string;
  /** Of the old run, as it was seen. */
  seenWakes: number;
  steps: CopiedStep[];
}

export async function retryRunRow(db: Db, run: RetriedRun, at: Date): Promise<boolean> {
  const created = { chainId: run.id, type: "run.created", at, actor: run.startedBy, data: { workflow: run.workflow, version: run.version, config_hash: run.configHash, retry_of: run.retryOfRunId } };
  const retried = { chainId: run.retryOfRunId, type: "run.retried", at, actor: run.startedBy, data: { run_id: run.id } };
  await pause("retry-run:before-commit", run.retryOfRunId);
  const rows = await db.$queryRaw<{ id: string }[]>`
    WITH old AS (
      UPDATE runs SET wakes = wakes + 1 WHERE id = ${run.retryOfRunId} AND status IN ('failed', 'cancelled') AND wakes = ${run.seenWakes} RETURNING id
    ), created AS (
      INSERT INTO runs (id, workflow, version, config_hash, started_by_kind, started_by_id, started_by_name, started_by_user_id, retry_of_run_id,
        params, secrets, cost_budget_usd, wake_at, created_at, updated_at)
      SELECT ${run.id}, ${run.workflow}, ${run.version}, ${run.configHash}, ${run.startedBy.kind}::actor_kind, ${run.startedBy.id}, ${run.startedBy.name},
        ${run.startedByUserId}, old.id, ${JSON.stringify(run.params)}::jsonb, ${run.secrets}, ${run.costBudgetUsd}::numeric,
        ${at}::timestamptz, ${at}::timestamptz, ${at}::timestamptz
      FROM old
      RETURNING id
    ), found AS (
      INSERT INTO run_search (run_id, agents, text) SELECT id, ${run.agents}::text[], ${run.searchText} FROM created
    ), stepped AS (
      INSERT INTO steps (id, run_id, parent_id, key, type, agent, item_index, status, output, degraded, state, started_at, completed_at)
      SELECT c.id, created.id, c."parentId", s.key, s.type, s.agent, s.item_index,
        CASE WHEN c.kept THEN s.status ELSE 'pending' END, CASE WHEN c.kept THEN s.output END, c.kept AND s.degraded,
        CASE WHEN c.kept THEN s.state ELSE '{}'::jsonb END, CASE WHEN c.kept THEN s.started_at END, CASE WHEN c.kept THEN s.completed_at END
      FROM created, jsonb_to_recordset(${JSON.stringify(run.steps)}::jsonb) AS c (id text, "fromId" text, "parentId" text, kept boolean)
        JOIN steps s ON s.id = c."fromId"
    ), logged AS (${insertEvents([created, retried], "created")})
    SELECT id FROM created`;
  await pause("retry-run:after-commit", run.retryOfRunId);
  return rows.length > 0;
}
