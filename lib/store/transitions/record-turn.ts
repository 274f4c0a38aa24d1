/**
 * Records one answer of a model, what it cost, the calls it asked for as the policy judged them, and the questions to people,
 * all in one statement: a crash leaves either the whole turn, which is never paid for again, or nothing of it. A step that began with
 * this turn, and a run for which people are all that is left to wait for, are moved with it. The statement is put together in write-run.ts.
 */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import type { CallStatus } from "@/lib/domain/call-state";
import { type NewEvent, withId } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";
import { type Lease, type LeaseOutcome, toOutcome } from "@/lib/store/lease-sql";
import { pause } from "@/lib/pause";
import type { RunLine, TurnPiece } from "@/lib/store/run-line";
import { parkColumns, parkEvents, type Parking } from "@/lib/store/transitions/park-run";
import { stepColumns, stepEvent, type StepMove, stepSources } from "@/lib/store/transitions/settle-step";

export interface NewTurn {
  id: string;
  stepId: string;
  number: number;
  model: string;
  request: unknown;
  response: unknown;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  reservedUsd: number;
  durationMs: number;
}

export interface NewCall {
  id: string;
  turnId: string | null;
  stepId: string;
  parentCallId: string | null;
  modelCallId: string | null;
  agent: string;
  server: string;
  tool: string;
  status: Extract<CallStatus, "denied" | "approved" | "pending_approval" | "rejected" | "succeeded" | "failed">;
  danger: string;
  arguments: unknown;
  argumentsCanonical: string;
  digest: string;
  definitionFingerprint: string | null;
  policyHash: string;
  trace: unknown;
  agentSays: string | null;
  summary: string;
  retrySafe: boolean;
  costUsd: number;
  result: unknown;
  error: unknown;
}

export interface NewApproval {
  id: string;
  callId: string;
  stepId: string;
  workflow: string;
  agent: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  digest: string;
  rule: unknown;
  approvers: string[];
  minApprovals: number;
  selfApproval: boolean;
  editable: boolean;
  onReject: string;
  timeoutBehavior: string;
  escalateTo: string[];
  expiresAt: Date | null;
  escalateAt: Date | null;
}

export interface TurnRecord {
  turn: NewTurn | null;
  calls: NewCall[];
  approvals: NewApproval[];
  /** Merged into what the step remembers. */
  stepState: object;
  stepId: string;
  /** Set when the step is not on record as begun. */
  begins?: { key: string; at: Date } | null;
  /** Set when nothing is left to do until people have spoken. */
  parks?: Parking | null;
}

export async function recordTurn(line: RunLine, lease: Lease, record: TurnRecord, at: Date): Promise<LeaseOutcome> {
  await pause("model-turn:before-result-commit", record.stepId);
  const rows = await line.put({ kind: "turn", lease, record, events: eventsOf(lease, record, at).map(withId), at });
  await pause("model-turn:after-result-commit", record.stepId);
  return toOutcome(rows);
}

/** What of the run's row changes, beside its cost. With `goesOn` the run does not end with the turn. */
export function turnColumns({ record: { turn, calls, parks }, at }: TurnPiece, goesOn: boolean): Prisma.Sql[] {
  return [
    Prisma.sql`tokens_in = tokens_in + ${turn?.tokensIn ?? 0}, tokens_out = tokens_out + ${turn?.tokensOut ?? 0}, llm_calls = llm_calls + ${turn ? 1 : 0}, tool_calls = tool_calls + ${calls.length}`,
    ...(goesOn ? [Prisma.sql`cost_reserved_usd = greatest(cost_reserved_usd - ${turn?.reservedUsd ?? 0}, 0)`] : []),
    ...(parks ? [parkColumns(parks, at)] : []),
  ];
}

/** The step's row; `ends` is its end, when that comes with the turn. */
export function turnStep({ record, at }: TurnPiece, ends: { move: StepMove; at: Date } | null): Prisma.Sql {
  const { turn, calls, approvals, begins } = record;
  const state = Prisma.sql`state || ${JSON.stringify(record.stepState)}::jsonb`;
  const startedAt = begins?.at ?? at;
  // A step that begins with its last turn was never on record as running.
  const sources = ends && [...stepSources(ends.move), ...(begins ? ["pending"] : [])];
  const moves = ends
    ? stepColumns(ends.move, ends.at, { state, startedAt })
    : Prisma.sql`state = ${state}, started_at = coalesce(started_at, ${startedAt}),
      status = CASE WHEN status NOT IN ('pending', 'running') THEN status WHEN ${approvals.length > 0} THEN 'pending_approval' ELSE 'running' END::step_status`;
  return Prisma.sql`
      UPDATE steps SET tokens_in = tokens_in + ${turn?.tokensIn ?? 0}, tokens_out = tokens_out + ${turn?.tokensOut ?? 0},
        cost_usd = cost_usd + ${turn?.costUsd ?? 0}, llm_calls = llm_calls + ${turn ? 1 : 0}, tool_calls = tool_calls + ${calls.length}, ${moves}
      FROM held WHERE steps.id = ${record.stepId} ${sources ? Prisma.sql`AND steps.status = ANY (${sources}::step_status[])` : Prisma.empty}`;
}

export function addTurn({ record: { turn }, at }: TurnPiece): Prisma.Sql[] {
  if (!turn) return [];
  return [Prisma.sql`turned AS (
      INSERT INTO turns (id, run_id, step_id, number, model, request, response, tokens_in, tokens_out, cost_usd, duration_ms, created_at)
      SELECT ${turn.id}, held.id, ${turn.stepId}, ${turn.number}::int, ${turn.model}, ${JSON.stringify(turn.request)}::jsonb, ${JSON.stringify(turn.response)}::jsonb,
        ${turn.tokensIn}::int, ${turn.tokensOut}::int, ${turn.costUsd}::numeric, ${turn.durationMs}::int, ${at}::timestamptz
      FROM held
    )`];
}

export function addCalls({ record: { calls }, at }: TurnPiece): Prisma.Sql[] {
  if (calls.length === 0) return [];
  return [Prisma.sql`called AS (
      INSERT INTO calls (id, run_id, step_id, turn_id, parent_call_id, model_call_id, agent, server, tool, status, danger, arguments, arguments_canonical,
        digest, definition_fingerprint, policy_hash, trace, agent_says, summary, retry_safe, cost_usd, result, error, created_at, executing_at, completed_at)
      SELECT c.id, held.id, c."stepId", c."turnId", c."parentCallId", c."modelCallId", c.agent, c.server, c.tool, c.status::call_status, c.danger::danger,
        c.arguments, c."argumentsCanonical", c.digest, c."definitionFingerprint", c."policyHash", c.trace, c."agentSays", c.summary, c."retrySafe",
        c."costUsd", c.result, c.error, ${at}, CASE WHEN c.status = 'succeeded' THEN ${at}::timestamptz END,
        CASE WHEN c.status NOT IN ('approved', 'pending_approval') THEN ${at}::timestamptz END
      FROM held, jsonb_to_recordset(${JSON.stringify(calls)}::jsonb) AS c (id text, "stepId" text, "turnId" text, "parentCallId" text, "modelCallId" text,
        agent text, server text, tool text, status text, danger text, arguments jsonb, "argumentsCanonical" text, digest text, "definitionFingerprint" text,
        "policyHash" text, trace jsonb, "agentSays" text, summary text, "retrySafe" boolean, "costUsd" numeric, result jsonb, error jsonb)
    )`];
}

export function addQuestions({ record: { approvals }, at }: TurnPiece): Prisma.Sql[] {
  if (approvals.length === 0) return [];
  return [Prisma.sql`asked AS (
      INSERT INTO approvals (id, call_id, run_id, step_id, workflow, agent, server, tool, danger, summary, digest, rule, approvers, min_approvals,
        self_approval, editable, on_reject, timeout_behavior, escalate_to, expires_at, escalate_at, created_at)
      SELECT a.id, a."callId", held.id, a."stepId", a.workflow, a.agent, a.server, a.tool, a.danger::danger, a.summary, a.digest, a.rule,
        ARRAY(SELECT jsonb_array_elements_text(a.approvers)), a."minApprovals", a."selfApproval", a.editable, a."onReject"::on_reject,
        a."timeoutBehavior"::timeout_behavior, ARRAY(SELECT jsonb_array_elements_text(a."escalateTo")), a."expiresAt", a."escalateAt", ${at}
      FROM held, jsonb_to_recordset(${JSON.stringify(approvals)}::jsonb) AS a (id text, "callId" text, "stepId" text, workflow text, agent text, server text,
        tool text, danger text, summary text, digest text, rule jsonb, approvers jsonb, "minApprovals" int, "selfApproval" boolean, editable boolean,
        "onReject" text, "timeoutBehavior" text, "escalateTo" jsonb, "expiresAt" timestamptz, "escalateAt" timestamptz)
    )`];
}

function eventsOf(lease: Lease, { turn, calls, approvals, stepId, begins, parks }: TurnRecord, at: Date): NewEvent[] {
  const event = (type: string, data: NewEvent["data"]): NewEvent => ({ chainId: lease.runId, type, at, actor: SYSTEM_ACTOR, data });
  return [
    ...(begins ? [stepEvent(lease.runId, { stepId, key: begins.key, to: "running" }, begins.at)] : []),
    ...(turn
      ? [event("turn.recorded", { step_id: turn.stepId, turn: turn.number, model: turn.model, tokens_in: turn.tokensIn, tokens_out: turn.tokensOut, cost_usd: String(turn.costUsd) })]
      : []),
    ...calls.map((call) => event(`call.${call.status}`, { call_id: call.id, step_id: call.stepId, server: call.server, tool: call.tool, digest: call.digest, danger: call.danger })),
    ...approvals.map((approval) => event("approval.requested", { approval_id: approval.id, call_id: approval.callId, digest: approval.digest, min_approvals: approval.minApprovals })),
    ...(parks ? parkEvents(lease, parks, at) : []),
  ];
}
