/**
 * Writes projection rows in one statement, so that foreign keys are checked at its end. The writer has the projector's
 * lock, so nothing newer is overwritten.
 */
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import type { ProjectedRows } from "@/lib/runs/projections/projected-rows";

export async function writeRows(db: Pick<Db, "$executeRaw">, rows: ProjectedRows): Promise<void> {
  const json = (name: keyof ProjectedRows) => Prisma.sql`${JSON.stringify(rows[name])}::jsonb`;
  await db.$executeRaw`WITH ${putSteps(json("steps"))}, ${putTurns(json("turns"))}, ${putCalls(json("calls"))},
    ${putDecisions(json("decisions"))}, ${putEvents(json("events"))}
    INSERT INTO projected_runs (run_id, seq)
    SELECT c.id, c.seq FROM jsonb_to_recordset(${json("chains")}) AS c (id text, seq int)
    ON CONFLICT (run_id) DO UPDATE SET seq = excluded.seq`;
}

const putSteps = (json: Prisma.Sql): Prisma.Sql => Prisma.sql`put_steps AS (
      INSERT INTO steps (id, run_id, key, type, status, parent_id, item_index, agent, input, output, raw_output, error, degraded,
        state, tokens_in, tokens_out, cost_usd, llm_calls, tool_calls, started_at, completed_at)
      SELECT s.id, s."runId", s.key, s.type::step_type, s.status::step_status, s."parentId", s."itemIndex", s.agent, s.input,
        s.output, s."rawOutput", s.error, s.degraded, s.state, s."tokensIn", s."tokensOut", s."costUsd", s."llmCalls",
        s."toolCalls", s."startedAt", s."completedAt"
      FROM jsonb_to_recordset(${json}) AS s (id text, "runId" text, key text, type text, status text, "parentId" text,
        "itemIndex" int, agent text, input jsonb, output jsonb, "rawOutput" jsonb, error jsonb, degraded boolean, state jsonb,
        "tokensIn" int, "tokensOut" int, "costUsd" numeric, "llmCalls" int, "toolCalls" int, "startedAt" timestamptz,
        "completedAt" timestamptz)
      ON CONFLICT (id) DO UPDATE SET status = excluded.status, input = excluded.input, output = excluded.output,
        raw_output = excluded.raw_output, error = excluded.error, degraded = excluded.degraded, state = excluded.state,
        tokens_in = excluded.tokens_in, tokens_out = excluded.tokens_out, cost_usd = excluded.cost_usd,
        llm_calls = excluded.llm_calls, tool_calls = excluded.tool_calls, started_at = excluded.started_at,
        completed_at = excluded.completed_at
    )`;

const putTurns = (json: Prisma.Sql): Prisma.Sql => Prisma.sql`put_turns AS (
      INSERT INTO turns (id, run_id, step_id, number, model, request, response, tokens_in, tokens_out, cost_usd, duration_ms,
        created_at)
      SELECT t.id, t."runId", t."stepId", t.number, t.model, coalesce(t.request, 'null'), coalesce(t.response, 'null'),
        t."tokensIn", t."tokensOut", t."costUsd", t."durationMs", t."createdAt"
      FROM jsonb_to_recordset(${json}) AS t (id text, "runId" text, "stepId" text, number int, model text, request jsonb,
        response jsonb, "tokensIn" int, "tokensOut" int, "costUsd" numeric, "durationMs" int, "createdAt" timestamptz)
      ON CONFLICT (id) DO NOTHING
    )`;

const putCalls = (json: Prisma.Sql): Prisma.Sql => Prisma.sql`put_calls AS (
      INSERT INTO calls (id, run_id, step_id, turn_id, parent_call_id, model_call_id, agent, server, tool, status, danger, arguments,
        arguments_canonical, digest, definition_fingerprint, policy_hash, trace, agent_says, summary, attempt, epoch, retry_safe,
        result, error, cost_usd, created_at, executing_at, settled_at, completed_at)
      SELECT c.id, c."runId", c."stepId", c."turnId", c."parentCallId", c."modelCallId", c.agent, c.server, c.tool,
        c.status::call_status, c.danger::danger, coalesce(c.arguments, 'null'), c."argumentsCanonical", c.digest,
        c."definitionFingerprint", c."policyHash", coalesce(c.trace, 'null'), c."agentSays", c.summary, c.attempt, c.epoch,
        c."retrySafe", c.result, c.error, c."costUsd", c."createdAt", c."executingAt", c."settledAt", c."completedAt"
      FROM jsonb_to_recordset(${json}) AS c (id text, "runId" text, "stepId" text, "turnId" text, "parentCallId" text,
        "modelCallId" text, agent text, server text, tool text, status text, danger text, arguments jsonb,
        "argumentsCanonical" text, digest text, "definitionFingerprint" text, "policyHash" text, trace jsonb, "agentSays" text,
        summary text, attempt int, epoch int, "retrySafe" boolean, result jsonb, error jsonb, "costUsd" numeric,
        "createdAt" timestamptz, "executingAt" timestamptz, "settledAt" timestamptz, "completedAt" timestamptz)
      ON CONFLICT (id) DO UPDATE SET server = excluded.server, tool = excluded.tool, status = excluded.status,
        danger = excluded.danger, arguments = excluded.arguments, arguments_canonical = excluded.arguments_canonical,
        digest = excluded.digest, definition_fingerprint = excluded.definition_fingerprint, policy_hash = excluded.policy_hash,
        trace = excluded.trace, summary = excluded.summary, attempt = excluded.attempt, epoch = excluded.epoch,
        retry_safe = excluded.retry_safe, result = excluded.result, error = excluded.error, executing_at = excluded.executing_at,
        settled_at = excluded.settled_at, completed_at = excluded.completed_at
    )`;

const putDecisions = (json: Prisma.Sql): Prisma.Sql => Prisma.sql`put_decisions AS (
      INSERT INTO decisions (id, approval_id, user_id, token_id, verdict, comment, reason, digest, arguments_canonical, address,
        created_at)
      SELECT d.id, d."approvalId", d."userId", d."tokenId", d.verdict::decision_verdict, d.comment, d.reason, d.digest,
        d."argumentsCanonical", d.address, d.at
      FROM jsonb_to_recordset(${json}) AS d (id text, "approvalId" text, "userId" text, "tokenId" text, verdict text,
        comment text, reason text, digest text, "argumentsCanonical" text, address text, at timestamptz)
      ON CONFLICT (id) DO NOTHING
    )`;

const putEvents = (json: Prisma.Sql): Prisma.Sql => Prisma.sql`put_events AS (
      INSERT INTO events (id, chain_id, seq, place, type, at, actor_kind, actor_id, actor_name, data, tx)
      SELECT e.id, e."chainId", e.seq, e.place, e.type, e.at, (e.actor ->> 'kind')::actor_kind, e.actor ->> 'id',
        e.actor ->> 'name', e.data, e.tx
      FROM jsonb_to_recordset(${json}) AS e (id text, "chainId" text, seq int, place int, type text, at timestamptz,
        actor jsonb, data jsonb, tx bigint)
      ON CONFLICT (id) DO NOTHING
    )`;
