/**
 * Errors of the YAML at run time (a missing value, a server that cannot be resolved) fail the step or the item, with
 * their reason.
 */
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";
import { KimitsuError } from "@/lib/errors";

/** A lost lease and database faults are not outcomes: they are rethrown. */
export async function guardStep(context: RunContext, work: () => Promise<StepOutcome>): Promise<StepOutcome> {
  try {
    return await work();
  } catch (error) {
    const { signal, turnSignal, memory } = context;
    const isStopping = signal.aborted || memory.failing;
    if (isStopping && (error instanceof KimitsuError || error === signal.reason || error === turnSignal.reason))
      return { kind: "waiting", waiting: [{ for: "stop" }] };
    if (error instanceof KimitsuError) return { kind: "failed", error: { code: error.code, message: error.message } };
    if (error instanceof Error && error.name === "TemplateError")
      return { kind: "failed", error: { code: "template_failed", message: error.message } };
    throw error;
  }
}
