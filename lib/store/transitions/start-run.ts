/**
 * Creates a run with its steps and its first event, ready to be claimed. Given a worker that has a place for it, the run is that worker's from
 * its first moment on: nothing is read for it, because nobody else can have written to it.
 */
import { type Actor, SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { Statements } from "@/lib/store/client";
import { insertEvents } from "@/lib/store/event-sql";
import { pause } from "@/lib/pause";
import { PLAN_ONCE } from "@/lib/store/plan-anew";
import { toSnapshot } from "@/lib/store/queries/load-run";
import { type ClaimOutcome, claimEvent, type Claimer } from "@/lib/store/transitions/claim-run";

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

export async function startRunRow(db: Statements, run: NewRun, claimer: Claimer | null, at: Date): Promise<ClaimOutcome> {
  const params = JSON.stringify(run.params);
  const data = { workflow: run.workflow, version: run.version, config_hash: run.configHash, retry_of: run.retryOfRunId };
  const created = { chainId: run.id, type: "run.created", at, actor: run.startedBy, data };
  const started = claimer ? [{ chainId: run.id, ...claimEvent({ id: run.id, status: "pending", leaseOwner: null }, claimer.owner), at, actor: SYSTEM_ACTOR }] : [];
  await pause("start-run:before-commit", run.id);
  await db.$queryRaw`
    ${PLAN_ONCE}WITH created AS (
      INSERT INTO runs (id, workflow, version, config_hash, status, started_by_kind, started_by_id, started_by_name, started_by_user_id, retry_of_run_id,
        params, secrets, cost_budget_usd, wake_at, lease_owner, lease_until, epoch, created_at, updated_at)
      VALUES (${run.id}, ${run.workflow}, ${run.version}, ${run.configHash}, ${claimer ? "running" : "pending"}::run_status, ${run.startedBy.kind}::actor_kind,
        ${run.startedBy.id}, ${run.startedBy.name}, ${run.startedByUserId}, ${run.retryOfRunId}, ${params}::jsonb, ${run.secrets}, ${run.costBudgetUsd},
        ${claimer ? null : at}, ${claimer?.owner ?? null}, ${claimer ? new Date(at.getTime() + claimer.leaseMs) : null}, ${claimer ? FIRST_EPOCH : 0}, ${at}, ${at})
      RETURNING id
    ), found AS (
      INSERT INTO run_search (run_id, agents, text) SELECT id, ${run.agents}::text[], ${run.searchText} FROM created
    ), stepped AS (
      INSERT INTO steps (id, run_id, key, type, agent)
      SELECT s.id, created.id, s.key, s.type::step_type, s.agent
      FROM created, jsonb_to_recordset(${JSON.stringify(run.steps)}::jsonb) AS s (id text, key text, type text, agent text)
    ), logged AS (${insertEvents([created, ...started], "created")})
    SELECT id FROM created`;
  await pause("start-run:after-commit", run.id);
  if (!claimer) return { kind: "lost" };
  return { kind: "claimed", lease: { runId: run.id, owner: claimer.owner, epoch: FIRST_EPOCH }, wakes: 0, snapshot: asWritten(run, params) };
}

/** As a claim would give it to a new row. */
const FIRST_EPOCH = 1;

/** What reading the run would give. */
function asWritten({ id, workflow, configHash, secrets, startedByUserId, costBudgetUsd, steps }: NewRun, params: string) {
  return toSnapshot({
    run: {
      id,
      workflow,
      configHash,
      params: JSON.parse(params) as Record<string, unknown>,
      secrets: secrets && Buffer.from(secrets).toString("base64"),
      startedByUserId,
      costUsd: 0,
      costBudgetUsd,
      costReservedUsd: 0,
      activeMs: 0,
      wakes: 0,
    },
    steps: steps.map((step) => ({ id: step.id, key: step.key, type: step.type, status: "pending", parentId: null, itemIndex: null, input: null, output: null, rawOutput: null, error: null, degraded: false, state: {} })),
    turns: [],
    calls: [],
  });
}
