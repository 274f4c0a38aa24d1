import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { ChildSteps } from "@/components/runs/child-steps";
import { CallCard } from "@/components/runs/call-card";
import { describeCost, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { Fact, Facts } from "@/components/runs/facts";
import { PersonActs } from "@/components/runs/person-act";
import { STEP_WORDS } from "@/components/runs/run-words";
import { StatusMark } from "@/components/runs/status-mark";
import { TurnView } from "@/components/runs/turn-view";
import { FoldedText, printValue, ValueView } from "@/components/runs/value-view";
import { CopyButton } from "@/components/ui/copy-button";
import { Pager } from "@/components/ui/pager";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import { engineDeps } from "@/lib/database/deps";
import type { RunPage } from "@/lib/runs/queries/get-run-page";
import { findStepPage, type StepPage } from "@/lib/runs/queries/get-step-page";
import { addressWith, oneText } from "../../../../search-params";
import { actsOnCall, toShownAct } from "../../acts";
import { findProjectOf, fingerprintHere, loadRun } from "../../load-run";

export const metadata: Metadata = { title: "Conversation" };

export default async function RunStepPage({ params, searchParams }: PageProps<"/history/[runId]/steps/[stepId]">) {
  const { runId, stepId } = await params;
  const { run, clock } = await loadRun(runId);
  const query = await searchParams;
  const fromTurn = Number(oneText(query.turn) ?? 1);
  const childCursor = oneText(query.items);
  const step = await findStepPage(engineDeps().db, {
    runId: run.id,
    stepId,
    fromTurn: Number.isSafeInteger(fromTurn) && fromTurn > 0 && fromTurn < 2 ** 31 ? fromTurn : 1,
    childCursor,
    fingerprint: fingerprintHere(),
  });
  if (!step) notFound();
  const base = `/history/${run.id}/steps/${step.id}`;
  const project = step.agent ? await findProjectOf(run.configHash) : null;
  const system =
    step.agent && project && !isClientWorkflow(step.agent) && Object.hasOwn(project.agents, step.agent)
      ? project.agents[step.agent]?.definition.prompt.system
      : undefined;
  const now = clock.toISOString();
  const withActs = <Call extends { id: string }>(call: Call) => ({ ...call, acts: actsOnCall(run.acts, call.id) });
  return (
    <div className="grid max-w-230 gap-6 px-4 py-5 tablet:px-6">
      <StepHead step={step} run={run} now={clock} />
      {step.children.items.length > 0 ? (
        <section aria-label="Parts of this step" className="grid gap-2">
          <ChildSteps runId={run.id} steps={step.children.items} />
          <Pager
            label="Pages of parts"
            firstHref={childCursor ? base : undefined}
            nextHref={step.children.nextCursor ? addressWith(base, { items: step.children.nextCursor }) : undefined}
          />
        </section>
      ) : null}
      {step.ownCalls.map((call) => (
        <CallCard key={call.id} call={withActs(call)} now={now} />
      ))}
      {step.turns.length > 0 ? (
        <section aria-label="Conversation" className="grid gap-5">
          {system && step.turns[0]?.number === 1 ? (
            <Said by="System prompt" note="from the agent's file, as it was when the run began">
              <FoldedText text={system} />
            </Said>
          ) : null}
          {step.turns.map((turn) => (
            <TurnView
              key={turn.id}
              turn={{ ...turn, at: turn.at.toISOString(), calls: turn.calls.map(withActs) }}
              now={now}
            />
          ))}
        </section>
      ) : null}
      <Pager
        label="Pages of turns"
        firstHref={fromTurn > 1 ? base : undefined}
        nextHref={step.nextTurn ? addressWith(base, { turn: String(step.nextTurn) }) : undefined}
      />
      <StepResult step={step} />
    </div>
  );
}

function StepHead({ step, run, now }: { step: StepPage; run: RunPage; now: Date }) {
  const reviews = run.acts.filter((act) => act.kind === "reviewed" && act.stepId === step.id);
  const name = step.itemIndex === null ? step.key : `${step.key}, item ${step.itemIndex + 1}`;
  return (
    <header className="grid gap-3">
      {step.ancestors.length > 0 ? (
        <nav aria-label="Above this step" className="flex flex-wrap gap-x-2 text-sm text-ink-3">
          {step.ancestors.map((ancestor) => (
            <span key={ancestor.id}>
              <Link
                href={`/history/${run.id}/steps/${ancestor.id}`}
                className="underline decoration-line-strong underline-offset-3 hover:decoration-ink"
              >
                {ancestor.itemIndex === null ? ancestor.key : `${ancestor.key}, item ${ancestor.itemIndex + 1}`}
              </Link>{" "}
              ›
            </span>
          ))}
        </nav>
      ) : null}
      <h2 className="flex flex-wrap items-baseline gap-x-4 text-xl font-semibold tracking-[-0.015em]">
        {name}
        <StatusMark {...STEP_WORDS[step.status]} className="text-base font-normal tracking-normal text-ink-2" />
      </h2>
      <Facts>
        <Fact name={step.agent ? "Agent" : "Kind"}>{step.agent ?? step.type}</Fact>
        {step.startedAt ? (
          <Fact name="From start to end">
            {describeDuration((step.completedAt ?? now).getTime() - step.startedAt.getTime())}
          </Fact>
        ) : null}
        {step.tokensIn + step.tokensOut > 0 ? (
          <Fact name="Tokens">
            {describeNumber(step.tokensIn)} in, {describeNumber(step.tokensOut)} out
          </Fact>
        ) : null}
        {step.costUsd > 0 ? <Fact name="Cost">{describeCost(step.costUsd)}</Fact> : null}
        {step.degraded ? <Fact name="Degraded">concluded without tools</Fact> : null}
      </Facts>
      {step.error ? (
        <p className="wrap-anywhere text-critical">
          {step.error.message} <code className="text-ink-3">{step.error.code}</code>
        </p>
      ) : null}
      <PersonActs
        acts={reviews.map((act) => toShownAct(act, { isNamed: false }))}
        now={now.toISOString()}
        className="grid gap-1 text-ink-2"
      />
    </header>
  );
}

function StepResult({ step }: { step: StepPage }) {
  const parts = [
    { title: "Output", value: step.output },
    ...(step.rawOutput !== null ? [{ title: "What the agent answered, before the check", value: step.rawOutput }] : []),
    ...(step.input !== null ? [{ title: "Input", value: step.input }] : []),
  ].filter(({ value }) => value !== null);
  return parts.map(({ title, value }) => (
    <section key={title} className="grid gap-2 print:break-inside-avoid">
      <div className="flex items-center justify-between gap-3">
        <h3 className="text-sm font-medium text-ink-2">{title}</h3>
        <span className="-my-1.5 -mr-2.5 print:hidden">
          <CopyButton text={printValue(value)} what={`${title === "Input" ? "input" : "output"}, redacted`} />
        </span>
      </div>
      <ValueView value={value} />
    </section>
  ));
}

function Said({ by, note, children }: { by: string; note: string; children: React.ReactNode }) {
  return (
    <details className="rounded-lg border border-line">
      <summary className="px-3.5 py-2 text-sm text-ink-2">
        <span className="font-medium">{by}</span> <span className="text-ink-3">{note}</span>
      </summary>
      <div className="border-t border-line px-3.5 py-2.5">{children}</div>
    </details>
  );
}
