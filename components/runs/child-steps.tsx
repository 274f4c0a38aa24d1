import Link from "next/link";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import { describeCost } from "./describe-figures";
import { STEP_WORDS } from "./run-words";
import { StatusMark } from "./status-mark";

interface Child {
  id: string;
  key: string;
  itemIndex: number | null;
  status: StepStatus;
  agent: string | null;
  error: string | null;
  costUsd: number;
}

/** Items of a fan-out, steps of a sub-workflow, or agents that this one called. */
export function ChildSteps({ runId, steps }: { runId: string; steps: readonly Child[] }) {
  return (
    <ol className="grid rounded-lg border border-line">
      {steps.map((step) => (
        <li
          key={step.id}
          className="relative flex flex-wrap items-baseline gap-x-4 border-b border-line px-3.5 py-2 last:border-b-0 hover:bg-sunken/60"
        >
          <Link
            href={`/history/${runId}/steps/${step.id}`}
            className="font-medium tabular-nums after:absolute after:inset-0"
          >
            {step.itemIndex === null ? step.key : `Item ${step.itemIndex + 1}`}
          </Link>
          <StatusMark {...STEP_WORDS[step.status]} className="text-sm text-ink-2" />
          <span className="text-sm text-ink-3">
            {step.agent ? `agent ${step.agent}` : null}
            {step.costUsd > 0 ? ` · ${describeCost(step.costUsd)}` : null}
          </span>
          {step.error ? <span className="w-full text-sm text-critical wrap-anywhere">{step.error}</span> : null}
        </li>
      ))}
    </ol>
  );
}
