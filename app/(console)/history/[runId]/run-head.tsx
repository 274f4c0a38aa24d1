import Link from "next/link";
import { describeCost, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { Fact, Facts } from "@/components/runs/facts";
import { LocalTime } from "@/components/runs/local-time";
import { PersonActs } from "@/components/runs/person-act";
import { describeRun } from "@/components/runs/run-words";
import { StatusMark } from "@/components/runs/status-mark";
import { CopyButton } from "@/components/ui/copy-button";
import { RelativeTime } from "@/components/ui/relative-time";
import type { RunPage } from "@/lib/runs/queries/get-run-page";
import { toShownAct } from "./acts";

const linkClass = "underline decoration-line-strong underline-offset-3 hover:decoration-ink";

/** Each is shown with its step or its call too; the newest are the most relevant. */
const ACTS_SHOWN = 3;

/** The facts of a run, how it ended, and what people did to it. */
export function RunHead({ run, now }: { run: RunPage; now: string }) {
  const { word, mark } = describeRun(run);
  return (
    <section aria-label="Facts" className="grid gap-4 border-b border-line px-4 py-4 tablet:px-6">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <StatusMark mark={mark} word={word} className="text-lg font-semibold" />
        <span className="flex min-w-0 items-center text-ink-3">
          <code className="wrap-anywhere">{run.id}</code>
          <span className="print:hidden">
            <CopyButton text={run.id} what="run id" />
          </span>
        </span>
      </div>
      {run.error ? (
        <p className="max-w-180 wrap-anywhere">
          <span className="text-critical">{run.error.step ? `Step ${run.error.step} failed: ` : ""}</span>
          {run.error.message} <code className="text-ink-3">{run.error.code}</code>
        </p>
      ) : null}
      <WhatPeopleDid run={run} now={now} />
      <Facts>
        <Fact name="Started by">
          {run.startedBy.person ?? run.startedBy.name}
          {run.startedBy.kind === "user" ? null : (
            <span className="text-ink-3">
              {" "}
              by {run.startedBy.kind}
              {run.startedBy.person === null ? "" : ` ${run.startedBy.name}`}
            </span>
          )}
        </Fact>
        {run.client ? (
          <>
            <Fact name="Client, by its own word">{run.client.name}</Fact>
            <Fact name="Session">
              <Link href={`/clients/${run.client.sessionId}`} className={linkClass}>
                <code>{run.client.sessionId.slice(-8)}</code>
              </Link>
            </Fact>
          </>
        ) : null}
        <Fact name="Started">
          <LocalTime at={run.createdAt.toISOString()} withDate />{" "}
          <span className="text-ink-3 print:hidden">
            <RelativeTime at={run.createdAt.toISOString()} now={now} />
          </span>
        </Fact>
        <Fact name="Worked">{describeDuration(run.workedMs)}</Fact>
        <Fact name="Waited for approval">{run.waitedMs > 0 ? describeDuration(run.waitedMs) : "not at all"}</Fact>
        <Fact name="Cost">
          {describeCost(run.costUsd)}
          {run.costBudgetUsd === null ? null : (
            <span className="text-ink-3"> of {describeCost(run.costBudgetUsd)}</span>
          )}
        </Fact>
        <Fact name="Tokens">
          {describeNumber(run.tokensIn)} in, {describeNumber(run.tokensOut)} out
        </Fact>
        <Fact name="Calls">
          {describeNumber(run.llmCalls)} model, {describeNumber(run.toolCalls)} tool
        </Fact>
        <Fact name="Configuration">
          <span className="flex items-center gap-1">
            <code title={run.configHash}>{run.configHash.replace("sha256:", "").slice(0, 10)}</code>
            <span className="-my-2 print:hidden">
              <CopyButton text={run.configHash} what="configuration hash" small />
            </span>
          </span>
        </Fact>
        {run.retryOfRunId ? (
          <Fact name="Retry of">
            <Link href={`/history/${run.retryOfRunId}`} className={linkClass}>
              <code>{run.retryOfRunId.slice(-8)}</code>
            </Link>
          </Fact>
        ) : null}
        {run.retriedAsRunId ? (
          <Fact name="Retried as">
            <Link href={`/history/${run.retriedAsRunId}`} className={linkClass}>
              <code>{run.retriedAsRunId.slice(-8)}</code>
            </Link>
          </Fact>
        ) : null}
      </Facts>
    </section>
  );
}

function WhatPeopleDid({ run: { id, acts }, now }: { run: RunPage; now: string }) {
  if (acts.length === 0) return null;
  const more = acts.length - ACTS_SHOWN;
  return (
    <div className="grid max-w-180 gap-1 text-ink-2">
      <PersonActs
        acts={acts.slice(0, ACTS_SHOWN).map((act) => toShownAct(act, { isNamed: true }))}
        now={now}
        className="grid gap-1"
      />
      {more > 0 ? (
        <p className="text-sm">
          and {describeNumber(more)} before, with their calls and steps, and under{" "}
          <Link href={`/history/${id}/events`} className={linkClass}>
            Events
          </Link>
        </p>
      ) : null}
    </div>
  );
}
