/**
 * Writes the run of a client's call with everything that is known of it in its first journal row: the call as it was
 * judged, the question to people, or that it is being sent. One commit, guarded: the same call of the same token that is
 * still open makes it write nothing, and so does a pause of all calls when this one would be sent.
 */
import { auditKeys } from "@/lib/database/audit-keys";
import { commitInGroup, type Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { pause } from "@/lib/pause";
import { approvalsOf, type RunChange } from "@/lib/runs/changes/registry";
import { IS_NOT_PAUSED } from "@/lib/runs/journal/call-guards";
import type { Claimer } from "@/lib/runs/journal/claim-run";
import { appendEntry, recordChanges } from "@/lib/runs/journal/commit";
import { type Entry, linkEntry, NO_HEAD } from "@/lib/runs/journal/entry";
import { moveHead } from "@/lib/runs/journal/fold";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import { writeQuestions } from "@/lib/runs/journal/write-questions";
import { isRunSettled, type RunStatus } from "@/lib/runs/rules/run-state";

export interface ClientStart {
  /** With the changes applied. Its head and lease are set when it is written. */
  run: OpenRun;
  changes: RunChange[];
  /** Under which the same call finds it, and a rejection in the same session. Null for a call that is over already. */
  key: { clientKey: Buffer; sessionKey: Buffer } | null;
  /** Null when nobody has it: it waits for people, is over, or for a worker with a free slot. */
  claimer: Claimer | null;
  /** What the call may cost, and the most that its session may: charged in the same commit. */
  charge: { sessionId: string; costUsd: number; limitUsd: number } | null;
  at: Date;
}

/** False when a guard refused it: nothing was written. */
export async function writeClientRun(db: Db, start: ClientStart): Promise<boolean> {
  const { run, changes, claimer, at } = start;
  const rowAt = at.toISOString();
  const { id } = run.snapshot.run;
  const { events, kept } = recordChanges(changes, run.snapshot.run, rowAt);
  const data = JSON.stringify({ changes: kept });
  const entry = linkEntry(NO_HEAD, { chain: id, at: rowAt, events, data }, auditKeys()[0]);
  await pause("start-run:before-commit", id);
  const rows = await commitInGroup(db, id, toStatement(start, entry));
  await pause("start-run:after-commit", id);
  if (rows.length === 0) return false;
  moveHead(run, entry);
  Object.assign(run, { leaseOwner: claimer?.owner ?? null, wakeAt: wakeTimeOf(run.snapshot.run.status, claimer, at) });
  return true;
}

function toStatement(start: ClientStart, entry: Entry): Prisma.Sql {
  const { run, changes, charge } = start;
  const approvals = changes.flatMap(approvalsOf).flatMap((id) => run.snapshot.approvals.get(id) ?? []);
  const parts = [...writeQuestions(approvals, false), appendEntry(entry)];
  const charged = charge ? Prisma.sql`charged AS (${chargeSession(charge)}), ` : Prisma.empty;
  return Prisma.sql`WITH ${charged}moved AS (${insertRun(start, entry)}), ${Prisma.join(parts, ", ")} SELECT id FROM moved`;
}

const chargeSession = ({ sessionId, costUsd, limitUsd }: NonNullable<ClientStart["charge"]>): Prisma.Sql => Prisma.sql`
  UPDATE client_sessions SET spent_usd = spent_usd + ${costUsd}::numeric
  WHERE id = ${sessionId} AND spent_usd + ${costUsd}::numeric <= ${limitUsd}::numeric RETURNING id`;

function insertRun({ run: open, key, claimer, charge, changes, at }: ClientStart, entry: Entry): Prisma.Sql {
  const { run } = open.snapshot;
  const isSent = changes.some(({ kind }) => kind === "call_executing");
  const guards = [
    key ? Prisma.sql`NOT EXISTS (SELECT 1 FROM runs r WHERE r.client_key = ${key.sessionKey})` : Prisma.sql`true`,
    ...(isSent ? [IS_NOT_PAUSED, Prisma.sql`is_known_history()`] : []),
    ...(charge ? [Prisma.sql`EXISTS (SELECT 1 FROM charged)`] : []),
  ];
  const until = claimer && new Date(at.getTime() + claimer.leaseMs);
  const error = run.error === null ? null : JSON.stringify(run.error);
  return Prisma.sql`
      INSERT INTO runs (id, workflow, version, config_hash, agents, status, started_by_kind, started_by_id, started_by_name,
        started_by_user_id, session_id, client_key, params, tool_calls, cost_usd, wake_at, lease_owner, lease_until, epoch, seq,
        head, error, created_at, updated_at, completed_at)
      SELECT ${run.id}, ${run.workflow}, ${run.version}, ${run.configHash}, ${run.agents}::text[], ${run.status}::run_status,
        ${run.startedBy.kind}::actor_kind, ${run.startedBy.id}, ${run.startedBy.name}, ${run.startedByUserId}, ${run.sessionId},
        ${key?.clientKey ?? null}::bytea, ${JSON.stringify(run.params)}::jsonb, ${run.toolCalls}::int, ${run.costUsd}::numeric,
        ${wakeTimeOf(run.status, claimer, at)}::timestamptz, ${claimer?.owner ?? null}::text, ${until}::timestamptz,
        ${open.epoch}::int, ${entry.seq}::int, ${entry.hash}::bytea, ${error}::jsonb, ${at}::timestamptz, ${at}::timestamptz,
        ${run.completedAt}::timestamptz
      WHERE ${Prisma.join(guards, " AND ")}
      ON CONFLICT (client_key) WHERE client_key IS NOT NULL DO NOTHING
      RETURNING id`;
}

/** A run that waits for nobody, and that nobody has, is for whichever worker is free. */
const wakeTimeOf = (status: RunStatus, claimer: Claimer | null, at: Date): Date | null =>
  claimer === null && status !== "pending_approval" && !isRunSettled(status) ? at : null;
