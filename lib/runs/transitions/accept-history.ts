/**
 * Records which history of the database the rows belong to, after a failover or a restore. If commits may have been
 * lost, every run in progress is taken from its worker, whose memory may be ahead of the rows, and marked: from here on
 * its calls ask a person before they are sent. One transaction, before which no worker writes anything: see the
 * function is_known_history.
 */
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { insertEvent } from "@/lib/audit/transitions/event-sql";
import type { Db } from "@/lib/database/client";
import type { DatabaseHistory } from "@/lib/database/queries/get-history";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { applyChange } from "@/lib/runs/changes/registry";
import { type Executor, linkChanges, writeCommit } from "@/lib/runs/journal/commit";
import { RecordChanged } from "@/lib/runs/journal/fold";
import { getOpenRun } from "@/lib/runs/journal/open-run";

/** A lost claim may have used the next epochs; its worker must not find its lease valid again. */
const EPOCHS_APART = 100;
const TRANSACTION_MS_MAX = 60_000;

export interface HistoryChange {
  /** Commits that were confirmed to processes may be missing. */
  mayHaveLost: boolean;
  /** How long previous workers may still send what they had begun. */
  lastSendsMs: number;
  at: Date;
}

/** The runs that were marked; null when another process has done it. */
export async function acceptHistory(
  db: Db,
  history: DatabaseHistory,
  { mayHaveLost, lastSendsMs, at }: HistoryChange,
): Promise<string[] | null> {
  const accept = async (tx: Executor) => {
    const moved = await tx.$queryRaw<object[]>`
      INSERT INTO settings (key, value, updated_at) VALUES ('database.history', ${toValue(history)}::jsonb, ${at})
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at WHERE settings.value ->> 'history' = ${history.known}
      RETURNING key`;
    if (moved.length === 0) return null;
    const marked = mayHaveLost
      ? await markRuns(tx, history.now, { wakeAt: new Date(at.getTime() + lastSendsMs), at })
      : [];
    const data = { from: history.known, to: history.now, commits_may_be_lost: mayHaveLost, runs: marked.length };
    const event = {
      chainId: SYSTEM_CHAIN as typeof SYSTEM_CHAIN,
      type: "database.history_changed",
      at,
      actor: SYSTEM_ACTOR,
      data,
    };
    await tx.$queryRaw`WITH moved AS (SELECT 1), logged AS (${insertEvent(event, "moved")}) SELECT 1`;
    return marked;
  };
  return db.$transaction(accept, { timeout: TRANSACTION_MS_MAX });
}

/** Runs that some process had, or could have had: what waits for people or for a time was not in progress. */
async function markRuns(tx: Executor, history: string, { wakeAt, at }: { wakeAt: Date; at: Date }): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM runs WHERE status NOT IN ('complete', 'failed', 'cancelled') AND (lease_owner IS NOT NULL OR wake_at <= ${at})
    ORDER BY id FOR NO KEY UPDATE`;
  for (const { id } of rows) await markRun(tx, id, { history, wakeAt, at });
  return rows.map(({ id }) => id);
}

interface Mark {
  history: string;
  wakeAt: Date;
  at: Date;
}

/** A run whose record was changed by hand is left to the worker that claims it, which stops it. */
async function markRun(tx: Executor, runId: string, { history, wakeAt, at }: Mark): Promise<void> {
  try {
    const run = await getOpenRun(tx, runId);
    const change = { kind: "commits_lost", at: at.toISOString(), history } as const;
    applyChange(run.snapshot, change);
    const commit = {
      run,
      changes: [change],
      lease: null,
      queue: { kind: "revoke", wakeAt, epochs: EPOCHS_APART } as const,
      at,
    };
    await writeCommit(tx, commit, linkChanges(commit));
  } catch (error) {
    if (!(error instanceof RecordChanged)) throw error;
  }
}

/**
 * Commits that wait for a standby cannot be lost in a failover; whether they do is recorded for the moment after one.
 */
export async function noteReplication(db: Db, history: DatabaseHistory, at: Date): Promise<void> {
  await db.$executeRaw`
    UPDATE settings SET value = ${toValue(history)}::jsonb, updated_at = ${at} WHERE key = 'database.history' AND value ->> 'history' = ${history.known}`;
}

const toValue = ({ now, isSynchronous }: DatabaseHistory): string =>
  JSON.stringify({ history: now, synchronous: isSynchronous });
