/**
 * Writes a new run with the first row of its journal, ready to be claimed. If a worker with a free worker slot is
 * given, the run belongs to it from the start.
 */
import { auditKeys } from "@/lib/database/audit-keys";
import { commitInGroup, isClient } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { openSecret } from "@/lib/database/secret-box";
import { pause } from "@/lib/pause";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { createRun, emptySnapshot, type NewRun } from "@/lib/runs/changes/run-created";
import type { Claimed, Claimer } from "@/lib/runs/journal/claim-run";
import { appendEntry, type Executor, recordChanges } from "@/lib/runs/journal/commit";
import { type Entry, linkEntry, NO_HEAD } from "@/lib/runs/journal/entry";
import { NO_PACE, paceAfter } from "@/lib/runs/journal/pace";
import type { OpenRun } from "@/lib/runs/journal/open-run";

/** As a claim would set it on a new row. */
const FIRST_EPOCH = 1;

/** Null when nobody has claimed it. */
export async function writeNewRun(
  db: Executor,
  run: NewRun,
  claimer: Claimer | null,
  now: Date,
): Promise<Claimed | null> {
  const at = now.toISOString();
  const changes: RunChange[] = [
    createRun(run, at),
    ...(claimer
      ? [{ kind: "run_claimed" as const, at, worker: claimer.owner, from: null, was: "pending" as const }]
      : []),
  ];
  const snapshot = emptySnapshot(run.id);
  for (const change of changes) applyChange(snapshot, change);
  const { events, kept } = recordChanges(changes, run, at);
  const content = { chain: run.id, at, events, data: JSON.stringify({ changes: kept }) };
  const entry = linkEntry(NO_HEAD, content, auditKeys()[0]);
  await pause("start-run:before-commit", run.id);
  const statement = startStatement(run, { claimer, entry, at: now });
  if (isClient(db)) await commitInGroup(db, run.id, statement);
  else await db.$queryRaw(statement);
  await pause("start-run:after-commit", run.id);
  if (!claimer) return null;
  const open: OpenRun = {
    snapshot,
    head: { seq: entry.seq, hash: entry.hash },
    pace: paceAfter(NO_PACE, entry),
    leaseOwner: claimer.owner,
    epoch: FIRST_EPOCH,
    wakeAt: null,
    openSecrets: () => readSecrets(run.secrets),
  };
  return { lease: { runId: run.id, owner: claimer.owner, epoch: FIRST_EPOCH }, run: open };
}

const readSecrets = (secrets: NewRun["secrets"]): Record<string, string> =>
  secrets === null ? {} : (JSON.parse(openSecret(Buffer.from(secrets))) as Record<string, string>);

interface Start {
  claimer: Claimer | null;
  entry: Entry;
  at: Date;
}

function startStatement(run: NewRun, { claimer, entry, at }: Start): Prisma.Sql {
  const until = claimer && new Date(at.getTime() + claimer.leaseMs);
  return Prisma.sql`WITH moved AS (
      INSERT INTO runs (id, workflow, version, config_hash, agents, status, started_by_kind, started_by_id, started_by_name,
        started_by_user_id, retry_of_run_id, params, secrets, cost_budget_usd, wake_at, lease_owner, lease_until, epoch, seq, head,
        created_at, updated_at)
      VALUES (${run.id}, ${run.workflow}, ${run.version}, ${run.configHash}, ${run.agents}::text[], ${claimer ? "running" : "pending"}::run_status,
        ${run.startedBy.kind}::actor_kind, ${run.startedBy.id}, ${run.startedBy.name}, ${run.startedByUserId},
        ${run.retryOfRunId}, ${JSON.stringify(run.params)}::jsonb, ${run.secrets}, ${run.costBudgetUsd}::numeric,
        ${claimer ? null : at}::timestamptz, ${claimer?.owner ?? null}, ${until}::timestamptz, ${claimer ? FIRST_EPOCH : 0},
        ${entry.seq}, ${entry.hash}, ${at}, ${at})
      RETURNING id
    ), ${appendEntry(entry)} SELECT id FROM moved`;
}
