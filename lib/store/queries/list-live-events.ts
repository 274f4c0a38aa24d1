import { encodeTime } from "ulid";
import type { Db } from "@/lib/store/client";

/** What open pages are told about: that something about approvals changed, which one, and by whom. No arguments, no reasons. */
export interface LiveEvent {
  id: string;
  type: string;
  runId: string;
  approvalId: string | null;
  callId: string | null;
  verdict: string | null;
  actor: { id: string; kind: string; name: string };
}

/** More than a busy installation has in the time that is looked back. Of more the newest are told: a page asks for itself what there is. */
const BATCH_MAX = 2_000;
/** Characters of an id that hold its time. */
const TIME_LENGTH = 10;
const TYPES = [
  "approval.requested", "approval.decided", "approval.expired", "approval.extended", "approval.escalated", "approval.set_aside", "approval.taken_up",
  "call.executing", "call.succeeded", "call.failed", "call.outcome_unknown", "call.asked_again", "call.denied", "call.settled",
  "run.cancelled", "run.completed", "run.failed",
];

/** Below every id that is given from this moment on. */
export const eventIdAt = (at: Date): string => `evt_${encodeTime(at.getTime(), TIME_LENGTH).toLowerCase()}`;

/**
 * Events since a moment. Their ids begin with the time and are given before the transaction commits, so a later one can be seen before an
 * earlier one: the caller asks from a little before what it has, and drops what it knows.
 */
export async function listLiveEvents(db: Db, since: Date): Promise<LiveEvent[]> {
  const sinceId = eventIdAt(since);
  const rows = await db.event.findMany({
    where: { type: { in: TYPES }, id: { gt: sinceId } },
    orderBy: { id: "desc" },
    take: BATCH_MAX,
    select: { id: true, type: true, chainId: true, body: true, actorId: true, actorKind: true, actorName: true },
  });
  return rows.toReversed().map((row) => {
    const data = ((JSON.parse(row.body) as { data?: Record<string, unknown> }).data ?? {}) as Record<string, unknown>;
    const text = (name: string) => (typeof data[name] === "string" ? data[name] : null);
    return { id: row.id, type: row.type, runId: row.chainId, approvalId: text("approval_id"), callId: text("call_id"), verdict: text("verdict"), actor: { id: row.actorId, kind: row.actorKind, name: row.actorName } };
  });
}
