/** Follows a run on the terminal until it has ended, or until it waits for people when that is where to stop. */
import { describeEvent } from "@/lib/cli/describe-event";
import { plainLine } from "@/lib/cli/plain-line";
import { createPaint } from "@/lib/cli/project-options";
import { describeWays } from "@/lib/cli/suggest-decider";
import { isRunSettled, type RunStatus } from "@/lib/runs/rules/run-state";
import type { EngineDeps } from "@/lib/database/deps";
import { watchRun } from "@/lib/runs/watch-run";
import { getReadiness } from "@/lib/runs/queries/get-readiness";
import { getRun, type RunView } from "@/lib/runs/queries/get-run";

/** By outcome, so that a script can tell them apart. */
export const EXIT_CODES: Record<RunStatus, number> = {
  complete: 0,
  failed: 1,
  cancelled: 3,
  pending_approval: 4,
  needs_human_review: 4,
  pending: 5,
  running: 5,
};

export interface WaitOptions {
  /** Prints nothing while waiting. */
  quiet: boolean;
  /** Stops at a status that only a person can end. */
  stopForPeople: boolean;
  signal: AbortSignal;
}

export async function waitForRun(deps: EngineDeps, runId: string, options: WaitOptions): Promise<RunView> {
  const paint = createPaint();
  const say = (line: string) => void (options.quiet || console.error(line));
  const ready = await getReadiness(deps.db, deps.now());
  if (ready.worker !== "ok")
    console.error(
      paint.warn("No worker is running, so nothing happens until one is: `npm start`, or `kimitsu worker`."),
    );
  for await (const event of watchRun(deps, { runId, after: 0, signal: options.signal })) {
    const line = describeEvent(event);
    if (line) say(event.type === "run.failed" ? paint.bad(line) : line);
    if (event.type !== "run.parked") continue;
    const run = await getRun(deps.db, runId);
    for (const approval of run.pendingApprovals)
      say(
        paint.warn(
          `  waits for a decision: ${plainLine(approval.summary)}\n    ${await describeWays(deps.db, approval)}`,
        ),
      );
    if (run.status === "needs_human_review") say(paint.warn("  waits for a person's review; see it in the console"));
    if (options.stopForPeople && !isRunSettled(run.status) && run.status !== "running" && run.status !== "pending")
      return run;
  }
  return getRun(deps.db, runId);
}
