import { CALL_WORDS, type Mark, STEP_WORDS } from "@/components/runs/run-words";
import type { RunPage } from "@/lib/runs/queries/get-run-page";

/** The state of a step. One that waits for a person to settle a call is not working. */
export function stateOf(run: RunPage, step: RunPage["steps"][number]): { word: string; mark: Mark } {
  return run.unknownCalls.some(({ stepId }) => stepId === step.id)
    ? CALL_WORDS.outcome_unknown
    : STEP_WORDS[step.status];
}
