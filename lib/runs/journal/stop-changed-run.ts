/**
 * Ends a run whose record was changed by hand, with an incident on its trail. If its journal still folds, only the rows
 * were changed: the run fails like any other, and its rows are corrected from the journal. Otherwise the row is ended
 * as it is, what waits in the inbox is withdrawn, and a last sealed row of the journal says why. `kimitsu audit verify`
 * names the rest.
 */
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";
import { createId } from "@/lib/ids";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { findLeftOpen } from "@/lib/runs/changes/left-open";
import { changeRun } from "@/lib/runs/journal/change-run";
import { appendEntry } from "@/lib/runs/journal/commit";
import { linkEntry } from "@/lib/runs/journal/entry";
import { RecordChanged } from "@/lib/runs/journal/fold";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import { isRunSettled } from "@/lib/runs/rules/run-state";

export async function stopChangedRun(db: Db, changed: RecordChanged, at: Date): Promise<void> {
  try {
    const { kind } = await failRun(db, changed, at);
    // Its row names another end than its journal has, so nothing can follow what was read.
    if (kind === "refused") await endAsItStands(db, changed, at);
  } catch (error) {
    if (!(error instanceof RecordChanged)) throw error;
    await endAsItStands(db, changed, at);
  }
}

function toError({ problem }: RecordChanged) {
  const remedy = "`kimitsu audit verify` names what differs. Nothing was sent.";
  return {
    code: "record_changed",
    message: `The record of this run was changed in the database (${problem}). ${remedy}`,
  };
}

function failRun(db: Db, changed: RecordChanged, at: Date) {
  const build = ({ snapshot }: OpenRun) => {
    if (isRunSettled(snapshot.run.status)) return null;
    const end = { status: "failed", error: toError(changed) } as const;
    const change = {
      kind: "run_ended",
      at: at.toISOString(),
      end,
      activeMs: 0,
      leftOpen: findLeftOpen(snapshot),
    } as const;
    return { changes: [change], queue: { kind: "revoke", wakeAt: null, epochs: 1 } as const, done: null };
  };
  return changeRun(db, changed.runId, { build, at, despiteRow: true });
}

async function endAsItStands(db: Db, changed: RecordChanged, at: Date): Promise<void> {
  const { runId } = changed;
  // If row and journal end at different positions, the last row follows whichever is further.
  const [row] = await db.$queryRaw<{ seq: number; end: number; head: Buffer }[]>`
    SELECT r.seq, greatest(r.seq, j.seq) AS end, CASE WHEN j.seq > r.seq THEN j.hash ELSE r.head END AS head
    FROM runs r LEFT JOIN LATERAL (SELECT seq, hash FROM journal WHERE run_id = r.id ORDER BY seq DESC LIMIT 1) j ON true
    WHERE r.id = ${runId}`;
  if (!row) return;
  const error = toError(changed);
  const when = at.toISOString();
  const events = [{ id: createId("event"), type: "run.failed", at: when, actor: SYSTEM_ACTOR, data: error }];
  const entry = linkEntry(
    { seq: row.end, hash: row.head },
    { chain: runId, at: when, events, data: null },
    auditKeys()[0],
  );
  await db.$queryRaw`
    WITH moved AS (
      UPDATE runs SET status = 'failed', error = ${JSON.stringify(error)}::jsonb, lease_owner = NULL, lease_until = NULL, wake_at = NULL,
        secrets = NULL, completed_at = ${at}, updated_at = ${at}, epoch = epoch + 1, seq = ${entry.seq}, head = ${entry.hash}
      WHERE id = ${runId} AND seq = ${row.seq} AND status NOT IN ('complete', 'failed', 'cancelled')
      RETURNING id
    ), withdrawn AS (
      UPDATE approvals SET status = 'cancelled', decided_at = ${at}, version = version + 1 FROM moved
      WHERE approvals.run_id = moved.id AND approvals.status = 'pending'
    ), ${appendEntry(entry)} SELECT id FROM moved`;
}
