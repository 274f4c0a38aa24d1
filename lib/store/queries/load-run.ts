import type { ApprovalStatus } from "@/lib/domain/approval-state";
import type { CallStatus, SERVER_AWAY } from "@/lib/domain/call-state";
import type { ApprovalRule } from "@/lib/domain/policy/approval-rule";
import type { StepStatus } from "@/lib/domain/step-state";
import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { openSecret } from "@/lib/store/secret-box";

export interface RunRow {
  id: string;
  workflow: string;
  configHash: string;
  params: Record<string, unknown>;
  /** Opens the values of secret params, in the moment they are needed. */
  openSecrets: () => Record<string, string>;
  startedByUserId: string | null;
  costUsd: number;
  costBudgetUsd: number | null;
  /** Left over from a worker that died; nothing is set aside while nobody works on the run. */
  costReservedUsd: number;
  activeMs: number;
  wakes: number;
}

export interface StepRow {
  id: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  parentId: string | null;
  itemIndex: number | null;
  input: unknown;
  output: unknown;
  rawOutput: unknown;
  error: { code: string; message: string } | null;
  degraded: boolean;
  state: Record<string, unknown>;
}

export interface TurnRow {
  id: string;
  stepId: string;
  number: number;
  request: unknown;
  response: unknown;
  costUsd: number;
}

/** What stands in the place of an error while an approved call waits for its server. */
export type ServerWait = {
  code: typeof SERVER_AWAY;
  message: string;
  tries: number;
  /** ISO 8601; it is not tried before. */
  until: string;
};

export interface CallRow {
  id: string;
  stepId: string;
  turnId: string | null;
  modelCallId: string | null;
  server: string;
  tool: string;
  status: CallStatus;
  argumentsCanonical: string;
  digest: string;
  definitionFingerprint: string | null;
  retrySafe: boolean;
  costUsd: number;
  epoch: number | null;
  result: unknown;
  error: { code: string; message: string; fails_run?: true } | ServerWait | null;
  /** Of the newest question about it, if people were asked. */
  approval: { id: string; status: ApprovalStatus; rule: ApprovalRule; reason: string | null; edited: boolean } | null;
}

export interface RunSnapshot {
  run: RunRow;
  steps: StepRow[];
  turns: TurnRow[];
  calls: CallRow[];
}

/**
 * All that a worker needs to go on with a run, in one statement: it is read each time a run is taken up, and round trips would be most of
 * that time. One snapshot also means that `wakes` is never newer than the rows, or a decision could be seen as known and not be known.
 */
export async function loadRun(db: Db, runId: string): Promise<RunSnapshot> {
  const [row] = await db.$queryRaw<StoredSnapshot[]>`SELECT ${runSnapshot(runId)}`;
  if (!row?.run) throw new Error(`unreachable: run ${runId} was claimed and is not there`);
  return toSnapshot(row);
}

/** The columns of a snapshot, for a statement that takes it with something else. */
export function runSnapshot(runId: string): Prisma.Sql {
  return Prisma.sql`(SELECT to_json(r) FROM (${RUN} WHERE id = ${runId}) r) AS run,
    ${listOf(Prisma.sql`${STEPS} WHERE run_id = ${runId}`)} AS steps,
    ${listOf(Prisma.sql`${TURNS} WHERE run_id = ${runId}`)} AS turns,
    ${listOf(Prisma.sql`${CALLS} WHERE c.run_id = ${runId}`)} AS calls`;
}

export type StoredSnapshot = Omit<RunSnapshot, "run"> & { run: StoredRun };

export function toSnapshot({ run, steps, turns, calls }: StoredSnapshot): RunSnapshot {
  return { run: toRunRow(run), steps, turns, calls };
}

/** What others may have changed meanwhile: decisions, settlements, reviews. */
export async function reloadRun(db: Db, runId: string): Promise<{ wakes: number; steps: StepRow[]; calls: CallRow[] }> {
  const [row] = await db.$queryRaw<{ wakes: number; steps: StepRow[]; calls: CallRow[] }[]>`
    SELECT wakes, ${listOf(Prisma.sql`${STEPS} WHERE run_id = ${runId}`)} AS steps, ${listOf(Prisma.sql`${CALLS} WHERE c.run_id = ${runId}`)} AS calls
    FROM runs WHERE id = ${runId}`;
  if (!row) throw new Error(`unreachable: run ${runId} is being advanced and is not there`);
  return row;
}

const RUN = Prisma.sql`SELECT id, workflow, config_hash AS "configHash", params, encode(secrets, 'base64') AS secrets, started_by_user_id AS "startedByUserId",
  cost_usd AS "costUsd", cost_budget_usd AS "costBudgetUsd", cost_reserved_usd AS "costReservedUsd", active_ms AS "activeMs", wakes FROM runs`;

const STEPS = Prisma.sql`SELECT id, key, type, status, parent_id AS "parentId", item_index AS "itemIndex", input, output, raw_output AS "rawOutput", error, degraded,
  state FROM steps`;

const TURNS = Prisma.sql`SELECT id, step_id AS "stepId", number, request, response, cost_usd AS "costUsd" FROM turns`;

const CALLS = Prisma.sql`SELECT c.id, c.step_id AS "stepId", c.turn_id AS "turnId", c.model_call_id AS "modelCallId", c.server, c.tool, c.status,
  c.arguments_canonical AS "argumentsCanonical", c.digest, c.definition_fingerprint AS "definitionFingerprint", c.retry_safe AS "retrySafe",
  c.cost_usd AS "costUsd", c.epoch, c.result, c.error,
  (SELECT json_build_object('id', a.id, 'status', a.status, 'rule', a.rule,
      'reason', (SELECT d.reason FROM decisions d WHERE d.approval_id = a.id AND d.verdict = 'rejected' LIMIT 1),
      'edited', EXISTS (SELECT 1 FROM decisions d WHERE d.approval_id = a.id AND d.arguments_canonical IS NOT NULL))
    FROM approvals a WHERE a.call_id = c.id ORDER BY a.id DESC LIMIT 1) AS approval
  FROM calls c`;

function listOf(rows: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`(SELECT coalesce(json_agg(l ORDER BY l.id), '[]'::json) FROM (${rows}) l)`;
}

type StoredRun = Omit<RunRow, "openSecrets"> & { secrets: string | null };

function toRunRow({ secrets, ...run }: StoredRun): RunRow {
  return { ...run, openSecrets: () => (secrets === null ? {} : (JSON.parse(openSecret(Buffer.from(secrets, "base64"))) as Record<string, string>)) };
}
