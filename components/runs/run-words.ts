import type { CallStatus } from "@/lib/runs/rules/call-state";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { StepStatus } from "@/lib/runs/rules/step-state";

/** How a state is drawn. The shape differs as well as the colour, so that neither carries the meaning alone. */
export type Mark = "done" | "partly" | "failed" | "working" | "person" | "idle" | "none";

type Words<Status extends string> = Readonly<Record<Status, { word: string; mark: Mark }>>;

export const RUN_WORDS: Words<RunStatus> = {
  pending: { word: "Queued", mark: "idle" },
  running: { word: "Running", mark: "working" },
  pending_approval: { word: "Waiting for approval", mark: "person" },
  needs_human_review: { word: "Needs a person", mark: "person" },
  complete: { word: "Complete", mark: "done" },
  failed: { word: "Failed", mark: "failed" },
  cancelled: { word: "Cancelled", mark: "none" },
};

/** A run that ended with a part of its work given up differs from one that did all of it. */
export function describeRun({ status, degraded }: { status: RunStatus; degraded: boolean }): {
  word: string;
  mark: Mark;
} {
  return status === "complete" && degraded ? { word: "Complete, degraded", mark: "partly" } : RUN_WORDS[status];
}

export const STEP_WORDS: Words<StepStatus> = {
  pending: { word: "not begun", mark: "idle" },
  running: { word: "running", mark: "working" },
  pending_approval: { word: "waiting for approval", mark: "person" },
  needs_human_review: { word: "needs a person", mark: "person" },
  complete: { word: "complete", mark: "done" },
  failed: { word: "failed", mark: "failed" },
  skipped: { word: "skipped", mark: "none" },
  cancelled: { word: "cancelled", mark: "none" },
};

export const CALL_WORDS: Words<CallStatus> = {
  denied: { word: "denied by the policy", mark: "failed" },
  pending_approval: { word: "waiting for approval", mark: "person" },
  approved: { word: "approved, not sent yet", mark: "working" },
  rejected: { word: "rejected", mark: "failed" },
  expired: { word: "expired, never sent", mark: "failed" },
  cancelled: { word: "cancelled, never sent", mark: "none" },
  executing: { word: "sent, no answer yet", mark: "working" },
  succeeded: { word: "succeeded", mark: "done" },
  failed: { word: "failed", mark: "failed" },
  outcome_unknown: { word: "outcome unknown", mark: "person" },
};

export const RUN_STATUSES = Object.keys(RUN_WORDS) as RunStatus[];

/** A run in one of these states still changes by itself or by a person's decision. */
export function isActive(status: RunStatus): boolean {
  return status !== "complete" && status !== "failed" && status !== "cancelled";
}

/** A row of a list that may be different when it is read again. */
export function isChanging(run: { status: RunStatus; client: { folded: { waiting: number } | null } | null }): boolean {
  return isActive(run.status) || (run.client?.folded?.waiting ?? 0) > 0;
}
