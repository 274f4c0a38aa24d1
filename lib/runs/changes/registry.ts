/** All kinds of changes. A kind that is not here could not be read back, so the journal accepts no other. */
import { approvalDecided, type ApprovalDecided } from "@/lib/runs/changes/approval-decided";
import { approvalEscalated, type ApprovalEscalated } from "@/lib/runs/changes/approval-escalated";
import { approvalExpired, type ApprovalExpired } from "@/lib/runs/changes/approval-expired";
import { approvalExtended, type ApprovalExtended } from "@/lib/runs/changes/approval-extended";
import { approvalNoted, type ApprovalNoted } from "@/lib/runs/changes/approval-noted";
import { approvalTightened, type ApprovalTightened } from "@/lib/runs/changes/approval-tightened";
import { callAskedAgain, type CallAskedAgain } from "@/lib/runs/changes/call-asked-again";
import { callEnded, type CallEnded } from "@/lib/runs/changes/call-ended";
import { callExecuting, type CallExecuting } from "@/lib/runs/changes/call-executing";
import { callGivenUp, type CallGivenUp } from "@/lib/runs/changes/call-given-up";
import { callNotSent, type CallNotSent } from "@/lib/runs/changes/call-not-sent";
import { callSettled, type CallSettled } from "@/lib/runs/changes/call-settled";
import { callUnknown, type CallUnknown } from "@/lib/runs/changes/call-unknown";
import type { Change, ChangeKind, EventDraft, RunFacts } from "@/lib/runs/changes/change";
import { leaveOut } from "@/lib/runs/changes/leave-out";
import type { RowEvent, RowEvents } from "@/lib/runs/changes/row-events";
import { commitsLost, type CommitsLost } from "@/lib/runs/changes/commits-lost";
import { runCancelled, type RunCancelled } from "@/lib/runs/changes/run-cancelled";
import { runClaimed, type RunClaimed } from "@/lib/runs/changes/run-claimed";
import { runCreated, type RunCreated } from "@/lib/runs/changes/run-created";
import { runEnded, type RunEnded } from "@/lib/runs/changes/run-ended";
import { runParked, type RunParked } from "@/lib/runs/changes/run-parked";
import { runReleased, type RunReleased } from "@/lib/runs/changes/run-released";
import { runRetried, type RunRetried } from "@/lib/runs/changes/run-retried";
import { serverMissed, type ServerMissed } from "@/lib/runs/changes/server-missed";
import { stepDelayed, type StepDelayed } from "@/lib/runs/changes/step-delayed";
import { stepMoved, type StepMoved } from "@/lib/runs/changes/step-moved";
import { stepReviewed, type StepReviewed } from "@/lib/runs/changes/step-reviewed";
import { stepsAdded, type StepsAdded } from "@/lib/runs/changes/steps-added";
import { turnRecorded, type TurnRecorded } from "@/lib/runs/changes/turn-recorded";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export type RunChange =
  | ApprovalDecided
  | ApprovalEscalated
  | ApprovalExpired
  | ApprovalExtended
  | ApprovalNoted
  | ApprovalTightened
  | CallAskedAgain
  | CallEnded
  | CallExecuting
  | CallGivenUp
  | CallNotSent
  | CallSettled
  | CallUnknown
  | CommitsLost
  | RunCancelled
  | RunClaimed
  | RunCreated
  | RunEnded
  | RunParked
  | RunReleased
  | RunRetried
  | ServerMissed
  | StepDelayed
  | StepMoved
  | StepReviewed
  | StepsAdded
  | TurnRecorded;

const KINDS = [
  approvalDecided,
  approvalEscalated,
  approvalExpired,
  approvalExtended,
  approvalNoted,
  approvalTightened,
  callAskedAgain,
  callEnded,
  callExecuting,
  callGivenUp,
  callNotSent,
  callSettled,
  callUnknown,
  commitsLost,
  runCancelled,
  runClaimed,
  runCreated,
  runEnded,
  runParked,
  runReleased,
  runRetried,
  serverMissed,
  stepDelayed,
  stepMoved,
  stepReviewed,
  stepsAdded,
  turnRecorded,
] as unknown as ChangeKind<Change>[];

const BY_KIND = new Map(KINDS.map((kind) => [kind.kind, kind]));

function kindOf({ kind }: Change): ChangeKind<Change> {
  const found = BY_KIND.get(kind);
  if (!found) throw new Error(`unreachable: there is no kind of change ${kind}`);
  return found;
}

export const eventsOf = (change: RunChange): EventDraft[] => kindOf(change).events(change);
export const approvalsOf = (change: RunChange): string[] => kindOf(change).approvals?.(change) ?? [];

/** A change as it is in a journal row. */
export type KeptChange = object;

/** Where a change is kept: the run, the time of the row, and what the row says of it. */
export interface KeptIn {
  run: RunFacts;
  at: string;
  /** Of this change alone. */
  events: readonly RowEvent[];
}

export function keepChange(change: RunChange, { run, at, events }: KeptIn): KeptChange {
  const kept = kindOf(change).keep?.(change, run, events) ?? change;
  return leaveOut<Partial<Change>>(kept, { at });
}

/** `events` are those of the whole row. */
export function openChange(
  kept: KeptChange,
  { run, at, events }: Omit<KeptIn, "events"> & { events: RowEvents },
): RunChange {
  const change = { at, ...kept } as RunChange;
  return (kindOf(change).open?.(change as never, run, events) ?? change) as RunChange;
}

export function applyChange(snapshot: RunSnapshot, change: RunChange): void {
  kindOf(change).apply(snapshot, change);
  snapshot.run.updatedAt = change.at;
}
