import { classNames } from "@/components/ui/class-names";
import type { StepStatus } from "@/lib/runs/rules/step-state";
import { type Mark, STEP_WORDS } from "./run-words";

const blocks: Record<Mark, string> = {
  done: "bg-ok",
  partly: "bg-medium",
  failed: "h-full bg-critical",
  working: "bg-accent",
  person: "border-[1.5px] border-high bg-high-soft",
  idle: "border border-line-strong",
  none: "border border-dashed border-edge",
};

const SHOWN_MAX = 16;

/** The steps of a run as small blocks, in the order of the pipeline; described in one sentence for screen readers. */
export function StepStrip({ steps, total }: { steps: readonly { key: string; status: StepStatus }[]; total: number }) {
  const shown = steps.slice(0, SHOWN_MAX);
  const done = steps.filter(({ status }) => status === "complete").length;
  const other = steps.find(({ status }) => !["complete", "pending"].includes(status));
  return (
    <span className="inline-flex h-3.5 items-end gap-0.75">
      {shown.map(({ key, status }) => (
        <span
          key={key}
          aria-hidden
          title={`${key}: ${STEP_WORDS[status].word}`}
          className={classNames("h-3 w-2 rounded-[2px]", blocks[STEP_WORDS[status].mark])}
        />
      ))}
      {total > shown.length ? (
        <span aria-hidden className="ml-0.5 self-center text-2xs text-ink-3">
          +{total - shown.length}
        </span>
      ) : null}
      <span className="sr-only">
        {done} of {total} steps complete{other ? `, ${other.key} ${STEP_WORDS[other.status].word}` : ""}
      </span>
    </span>
  );
}
