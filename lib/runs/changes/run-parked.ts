/**
 * The worker releases a run that waits for people, for a person's review, or for a time; or hands it over, as at
 * shutdown. Waiting for a rate limit or a retry gets no event each time; a handover does.
 */
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import { moveRun } from "@/lib/runs/changes/move";

export interface RunParked extends Change {
  kind: "run_parked";
  /** `running` is for a run that waits only for a time, or is handed over. */
  status: "pending_approval" | "needs_human_review" | "running";
  /** When to check again even if nothing happened. */
  wakeAt: string | null;
  activeMs: number;
  /** The worker that hands it over; omitted when no event is needed. */
  worker?: string;
}

export const runParked: ChangeKind<RunParked> = {
  kind: "run_parked",
  events(change) {
    if (change.status !== "running") return [{ type: "run.parked", data: { status: change.status } }];
    return isHandedOver(change) ? [{ type: "run.handed_over", data: { worker: change.worker } }] : [];
  },
  apply(snapshot, change) {
    moveRun(snapshot, change.status, change.at);
    snapshot.run.error = null;
    snapshot.run.activeMs += change.activeMs;
    snapshot.run.isClaimAnnounced = isHandedOver(change);
  },
  keep: (change) => leaveOut(change, usual()),
  open: (kept: RunParked) => ({ ...usual(), ...kept }),
};

const usual = () => ({ status: "pending_approval", wakeAt: null }) as const;

/** A run that waits for nobody and for no time would never be advanced again. */
export const wakeTimeOf = ({ status, wakeAt, at }: RunParked): string | null =>
  status === "running" ? (wakeAt ?? at) : wakeAt;

function isHandedOver(change: RunParked): boolean {
  const wakeAt = wakeTimeOf(change);
  return change.status === "running" && wakeAt !== null && wakeAt <= change.at;
}
