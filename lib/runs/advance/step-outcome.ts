export interface StepError {
  code: string;
  message: string;
  /**
   * Set when neither a fan-out's allowed failures nor an agent's caller may ignore it. On record, so that a restart
   * knows it too.
   */
  fails_run?: true;
  [detail: string]: unknown;
}

/** What a run can wait for. `until` is set when time alone makes it continue. */
export type Waiting =
  | { for: "approval" }
  | { for: "review" }
  | { for: "time"; until: Date }
  /** Nothing: another step has failed, or the process is about to end. */
  | { for: "stop" };

/** How far a step came. Everything but `waiting` ends it. */
export type StepOutcome =
  | { kind: "complete"; output: unknown; degraded?: boolean; notes?: object }
  | { kind: "failed"; error: StepError; rawOutput?: unknown }
  | { kind: "skipped"; reason: string }
  | { kind: "waiting"; waiting: Waiting[] };

export function failsRun(error: { [detail: string]: unknown } | { code: string } | null | undefined): boolean {
  return error !== null && error !== undefined && "fails_run" in error && error.fails_run === true;
}

/** The status of a parked run: a person's review comes before an approval, and both before waiting for a time. */
export function parkedStatus(waiting: Waiting[]): {
  status: "pending_approval" | "needs_human_review" | "running";
  wakeAt: Date | null;
} {
  const times = waiting.flatMap((entry) => (entry.for === "time" ? [entry.until.getTime()] : []));
  const wakeAt = times.length > 0 ? new Date(Math.min(...times)) : null;
  if (waiting.some((entry) => entry.for === "review")) return { status: "needs_human_review", wakeAt };
  if (waiting.some((entry) => entry.for === "approval")) return { status: "pending_approval", wakeAt };
  return { status: "running", wakeAt };
}
