/** Creates a run with its steps, ready to be claimed, and its first event. */
import type { Actor } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
import { insertEvent } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/store/plan-anew";

export interface NewStep {
  id: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  agent: string | null;
}

export interface NewRun {
  id: string;
  workflow: string;
  version: string;
  configHash: string;
  startedBy: Actor;
  /** The person behind it, who may not approve its calls. */
  startedByUserId: string | null;
  retryOfRunId: string | null;
  params: object;
  secrets: Uint8Array<ArrayBuffer> | null;
  agents: string[];
  searchText: string;
  costBudgetUsd: number | null;
  steps: NewStep[];
}

export async function startRunRow(db: Statements, run: NewRun, at: Date): Promise<void> {
  const data = { workflow: run.workflow, version: run.version, config_hash: run.configHash, retry_of: run.retryOfRunId };
  const event = insertEvent({ chainId: run.id, type: "run.created", at, actor: run.startedBy, data }, "created");
  await pause("start-run:before-commit", run.id);
  await db.$queryRaw`
    ${PLAN_ONCE}WITH created AS (
      INSERT INTO runs (id, workflow, version, config_hash, started_by_kind, started_by_id, started_by_name, started_by_user_id, retry_of_run_id,
        params, secrets, cost_budget_usd, wake_at, created_at, updated_at)
      VALUES (${run.id}, ${run.workflow}, ${run.version}, ${run.configHash}, ${run.startedBy.kind}::actor_kind, ${run.startedBy.id}, ${run.startedBy.name},
        ${run.startedByUserId}, ${run.retryOfRunId}, ${JSON.stringify(run.params)}::jsonb, ${run.secrets},
        ${run.costBudgetUsd}, ${at}, ${at}, ${at})
      RETURNING id
    ), found AS (
      INSERT INTO run_search (run_id, agents, text) SELECT id, ${run.agents}::text[], ${run.searchText} FROM created
    ), stepped AS (
      INSERT INTO steps (id, run_id, key, type, agent)
      SELECT s.id, created.id, s.key, s.type::step_type, s.agent
      FROM created, jsonb_to_recordset(${JSON.stringify(run.steps)}::jsonb) AS s (id text, key text, type text, agent text)
    ), logged AS (${event})
    SELECT id FROM created`;
  await pause("start-run:after-commit", run.id);
}
