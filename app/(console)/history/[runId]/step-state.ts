import { CALL_WORDS, type Mark, STEP_WORDS } from "@/components/runs/run-words";
import type { RunPage } from "@/lib/runs/queries/get-run-page";

/** How a step stands. One that goes on only when a person has said what became of a call is not at work. */
export function stateOf(run: RunPage, step: RunPage["steps"][number]): { word: string; mark: Mark } {
  return run.unknownCalls.some(({ stepId }) => stepId === step.id)
    ? CALL_WORDS.outcome_unknown
    : STEP_WORDS[step.status];
}
