import Link from "next/link";
import { Fragment } from "react";
import { classNames } from "@/components/ui/class-names";
import { describeNumber } from "./describe-figures";
import { LocalTime } from "./local-time";
import { PersonActs, type ShownAct } from "./person-act";
import type { Mark } from "./run-words";
import { StatusDot, StatusMark } from "./status-mark";

export interface TimelineEntry {
  id: string;
  kind: "model" | "tool" | "person";
  /** Among all that the step did, from 1. */
  number: number;
  mark: Mark;
  at: string;
  title: string;
  isCode: boolean;
  detail: string;
  /** What people decided about it. */
  acts: readonly ShownAct[];
  href?: string;
}

export interface TimelineStep {
  id: string;
  key: string;
  mark: Mark;
  word: string;
  href: string;
  at: string | null;
  detail: string;
  error: string | null;
  /** How people reviewed its answers. */
  acts: readonly ShownAct[];
  /** The first and the last ones when there are more. */
  entries: readonly TimelineEntry[];
  total: number;
}

/** What happened, step by step. Waiting for a person is a block of its own kind between the dots of work. */
export function TimelineSteps({ steps, now }: { steps: readonly TimelineStep[]; now: string }) {
  return (
    <ol className="grid gap-5">
      {steps.map((step) => (
        <li key={step.id} className="grid gap-2 print:break-inside-avoid">
          <div className="flex items-baseline gap-3">
            <div className="min-w-0 flex-1">
              <h3 className="flex flex-wrap items-baseline gap-x-3 font-semibold">
                <Link href={step.href} className="hover:underline">
                  {step.key}
                </Link>
                <StatusMark mark={step.mark} word={step.word} className="text-sm font-normal text-ink-2" />
              </h3>
              <p className="text-sm text-ink-3">{step.detail}</p>
              {step.error ? (
                <p
                  className={classNames(
                    "text-sm wrap-anywhere",
                    step.mark === "failed" ? "text-critical" : "text-ink-2",
                  )}
                >
                  {step.error}
                </p>
              ) : null}
              <PersonActs acts={step.acts} now={now} className="text-sm text-ink-2" />
            </div>
            {step.at ? (
              <span className="text-sm text-ink-3">
                <LocalTime at={step.at} />
              </span>
            ) : null}
          </div>
          {step.entries.length > 0 ? (
            <ol className="ml-1 grid border-l border-line pl-5">
              {step.entries.map((entry, index) => (
                <Fragment key={entry.id}>
                  <LeftOut
                    count={entry.number - (step.entries[index - 1]?.number ?? 0) - 1}
                    shown={step.entries.length}
                    step={step}
                  />
                  <Entry entry={entry} now={now} />
                </Fragment>
              ))}
            </ol>
          ) : null}
        </li>
      ))}
    </ol>
  );
}

/** Between the first and the last ones: how many there are, and where. */
function LeftOut({ count, shown, step }: { count: number; shown: number; step: TimelineStep }) {
  if (count <= 0) return null;
  return (
    <li className="relative my-1.5 flex flex-wrap items-baseline gap-x-3 border-y border-dashed border-line-strong py-2 text-sm text-ink-2">
      <span>
        {describeNumber(count)} more between these; {describeNumber(shown)} of {describeNumber(step.total)} are shown.
      </span>
      <Link href={step.href} className="text-accent underline underline-offset-3 print:hidden">
        All in the conversation
      </Link>
    </li>
  );
}

function Entry({ entry, now }: { entry: TimelineEntry; now: string }) {
  const isPerson = entry.kind === "person";
  return (
    <li
      className={classNames(
        "relative flex items-baseline gap-3 py-1.5",
        isPerson && "my-1.5 rounded-lg border border-dashed border-high bg-high-soft px-3 py-2",
      )}
    >
      <StatusDot
        mark={entry.mark}
        className={classNames("absolute top-3 -left-[25.5px] ring-4 ring-paper", isPerson && "top-3.5 bg-paper")}
      />
      <span className="min-w-0 flex-1">
        {entry.isCode ? (
          <code className="text-ink wrap-anywhere">{entry.title}</code>
        ) : (
          <span className={isPerson ? "font-medium" : undefined}>{entry.title}</span>
        )}
        <span className="block text-sm text-ink-2 wrap-anywhere">{entry.detail}</span>
        <PersonActs acts={entry.acts} now={now} className="text-sm text-ink-2" />
        {entry.href ? (
          <Link href={entry.href} className="text-sm text-accent underline underline-offset-3 print:hidden">
            Open in the inbox
          </Link>
        ) : null}
      </span>
      <span className="text-sm text-ink-3">
        <LocalTime at={entry.at} />
      </span>
    </li>
  );
}
