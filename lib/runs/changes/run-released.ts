/**
 * The worker releases a run that it could not advance because of a fault that is not the run's own: the project version
 * cannot be read here, or a defect. The error stays on the run until it continues.
 */
import { FAULT_BACKOFF_MAX_MS, FAULT_BACKOFF_MS } from "@/lib/limits";
import type { Change, ChangeKind } from "@/lib/runs/changes/change";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export interface RunReleased extends Change {
  kind: "run_released";
  fault: { code: string; message: string };
  worker: string;
}

export const runReleased: ChangeKind<RunReleased> = {
  kind: "run_released",
  events: ({ fault, worker }) => [{ type: "run.released_after_fault", data: { ...fault, worker } }],
  apply({ run }, { fault }) {
    run.error = { ...fault, attempts: (run.error?.attempts ?? 0) + 1 };
    run.isClaimAnnounced = true;
  },
};

/** Each time with a longer delay. */
export function retryTimeAfter({ run }: RunSnapshot, at: Date): Date {
  const before = Math.min((run.error?.attempts ?? 1) - 1, 30);
  return new Date(at.getTime() + Math.min(FAULT_BACKOFF_MS * 2 ** before, FAULT_BACKOFF_MAX_MS));
}
