import type { Metadata } from "next";
import Link from "next/link";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { TabLinks } from "@/components/shell/tab-links";
import { describeNumber } from "@/components/runs/describe-figures";
import { FollowRun } from "@/components/runs/follow-run";
import { isActive } from "@/components/runs/run-words";
import { PipelineMap } from "@/components/workflows/pipeline-map";
import { buttonClass } from "@/components/ui/button";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import { can } from "@/lib/people/session/session";
import type { RunPage } from "@/lib/runs/queries/get-run-page";
import { findProjectOf, findRefusalToAccept, loadRun } from "./load-run";
import { RunActions } from "./run-actions";
import { RunHead } from "./run-head";
import { stateOf } from "./step-state";
import { PendingApprovals, ReviewPanel, UnknownOutcome } from "./waiting-for-you";
import "./print.css";

export async function generateMetadata({ params }: LayoutProps<"/history/[runId]">): Promise<Metadata> {
  const { run } = await loadRun((await params).runId);
  return { title: `${run.workflow} ${run.id.slice(-6)}` };
}

/** What every view of a run shares: its facts, its map, what it waits for, and links to the other views. */
export default async function RunLayout({ params, children }: LayoutProps<"/history/[runId]">) {
  const { run, session, clock } = await loadRun((await params).runId);
  const active = isActive(run.status);
  const base = `/history/${run.id}`;
  const mayWrite = can(session, "runs:write");
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-2.5 border-b border-line bg-paper px-4 tablet:px-6">
        <Link
          href="/history"
          aria-label="Back to History"
          className={buttonClass({ variant: "quiet", size: "icon" }, "-ml-2 print:hidden")}
        >
          <ArrowLeft aria-hidden />
        </Link>
        <h1 className="min-w-0 truncate text-lg font-semibold">{run.workflow}</h1>
        <span className="text-ink-3 max-tablet:hidden">{run.version}</span>
        {mayWrite ? (
          <div className="ml-auto flex items-center gap-2 print:hidden">
            <RunActions
              runId={run.id}
              canCancel={active}
              canRetry={
                (run.status === "failed" || run.status === "cancelled") &&
                run.retriedAsRunId === null &&
                !isClientWorkflow(run.workflow)
              }
              secrets={secretParams(run)}
            />
          </div>
        ) : null}
      </header>
      <RunHead run={run} now={clock.toISOString()} />
      <WhatItWaitsFor
        run={run}
        mayWrite={mayWrite}
        mayDecide={can(session, "approvals:decide")}
        whyNotAccept={active ? await findRefusalToAccept(run, session.user.id) : null}
      />
      <div className="border-b border-line bg-sunken/50">
        <PipelineMap label="Steps of this run" nodes={await toNodes(run, base)} />
      </div>
      <TabLinks
        label="Views of this run"
        tabs={[
          { href: base, label: "Timeline" },
          { href: `${base}/steps`, label: "Conversation" },
          {
            href: `${base}/approvals`,
            label: run.counts.approvals > 0 ? `Approvals ${describeNumber(run.counts.approvals)}` : "Approvals",
          },
          { href: `${base}/events`, label: `Events ${describeNumber(run.counts.events)}` },
        ]}
      />
      {children}
      {active ? <FollowRun runId={run.id} after={run.counts.events} /> : null}
    </>
  );
}

function WhatItWaitsFor({
  run,
  mayWrite,
  mayDecide,
  whyNotAccept,
}: {
  run: RunPage;
  mayWrite: boolean;
  mayDecide: boolean;
  whyNotAccept: string | null;
}): ReactNode {
  const active = isActive(run.status);
  if (!run.review && run.unknownCalls.length === 0 && (!active || run.counts.pendingApprovals === 0)) return null;
  return (
    <div className="grid gap-3 border-b border-line px-4 py-4 tablet:px-6 print:hidden">
      {active && run.counts.pendingApprovals > 0 ? (
        <PendingApprovals runId={run.id} count={run.counts.pendingApprovals} canDecide={mayDecide} />
      ) : null}
      {run.review && active ? (
        <ReviewPanel
          key={`${run.review.stepId} ${run.review.digest}`}
          runId={run.id}
          review={run.review}
          canReview={mayDecide}
          whyNotAccept={whyNotAccept}
        />
      ) : null}
      {run.unknownCalls.map((call) => (
        <UnknownOutcome key={call.id} runId={run.id} call={call} isOver={!active} canSettle={mayWrite} />
      ))}
    </div>
  );
}

/** The recorded steps, with the arrows of the project that the run began with. */
async function toNodes(run: RunPage, base: string) {
  const project = await findProjectOf(run.configHash);
  const known = project && Object.hasOwn(project.workflows, run.workflow) ? project.workflows[run.workflow] : undefined;
  return run.steps.map((step, index) => {
    const before = run.steps[index - 1];
    const { total, ended } = step.children;
    const kind = step.agent ?? step.type;
    return {
      id: step.key,
      label: step.key,
      detail: total > 0 ? `${kind} · ${ended}/${total}` : kind,
      dependsOn: known ? (known.steps.find(({ id }) => id === step.key)?.dependsOn ?? []) : before ? [before.key] : [],
      state: stateOf(run, step),
      href: `${base}/steps/${step.id}`,
    };
  });
}

function secretParams(run: RunPage): string[] {
  if (run.params === null || typeof run.params !== "object") return [];
  return Object.entries(run.params)
    .filter(([, value]) => value === "[secret]")
    .map(([name]) => name);
}
