import { Suspense } from "react";
import { TimeLanes } from "@/components/runs/time-lanes";
import { TimelineSteps } from "@/components/runs/timeline-steps";
import { printValue, ValueView } from "@/components/runs/value-view";
import { CopyButton } from "@/components/ui/copy-button";
import { engineDeps } from "@/lib/database/deps";
import type { RunPage } from "@/lib/runs/queries/get-run-page";
import { getRunTimeline } from "@/lib/runs/queries/get-run-timeline";
import { loadRun, loadSpans } from "./load-run";
import { toLanes, toTimelineSteps } from "./timeline";

/**
 * With more events the lanes load after the rest of the page: they read everything that the run did, the rest only its
 * ends.
 */
const EVENTS_AT_ONCE_MAX = 1000;

export default async function RunTimelinePage({ params }: PageProps<"/history/[runId]">) {
  const { run, clock } = await loadRun((await params).runId);
  const isLong = run.counts.events > EVENTS_AT_ONCE_MAX;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] wide:grid-cols-[minmax(0,1fr)_400px]">
      <div className="min-w-0">
        <section aria-label="Where the time went" className="border-b border-line">
          {isLong ? (
            <Suspense
              fallback={
                <TimeLanes runId={run.id} lanes={toLanes(run, [], clock)} whole={wholeOf(run, clock)} isWaiting />
              }
            >
              <Lanes run={run} clock={clock} />
            </Suspense>
          ) : (
            <Lanes run={run} clock={clock} />
          )}
        </section>
        <section aria-label="What happened" className="px-4 py-5 tablet:px-6">
          <WhatHappened run={run} clock={clock} />
        </section>
      </div>
      <aside
        aria-label="Input and output"
        className="grid min-w-0 content-start gap-6 px-4 py-5 max-wide:border-t max-wide:border-line tablet:px-6 wide:border-l wide:border-line"
      >
        <KeptValue title="Started with" value={run.params} what="params, redacted" />
        {run.status === "complete" ? (
          <KeptValue title="Output" value={run.output} what="output, redacted" />
        ) : (
          <section className="grid gap-2">
            <h2 className="text-sm font-medium text-ink-2">Output</h2>
            <p className="text-sm text-ink-3">
              {run.completedAt ? "The run ended without one." : "Not yet; the run is not over."}
            </p>
          </section>
        )}
      </aside>
    </div>
  );
}

function KeptValue({ title, value, what }: { title: string; value: unknown; what: string }) {
  return (
    <section className="grid gap-2">
      <div className="flex items-center justify-between gap-3">
        <h2 className="text-sm font-medium text-ink-2">{title}</h2>
        <span className="-my-1.5 -mr-2.5 print:hidden">
          <CopyButton text={printValue(value)} what={what} />
        </span>
      </div>
      <ValueView value={value} />
    </section>
  );
}

const wholeOf = (run: RunPage, clock: Date) => ({
  from: run.createdAt.getTime(),
  to: (run.completedAt ?? clock).getTime(),
});

interface Part {
  run: RunPage;
  clock: Date;
}

async function Lanes({ run, clock }: Part) {
  const spans = await loadSpans(run, { from: run.createdAt, to: run.completedAt ?? clock });
  return <TimeLanes runId={run.id} lanes={toLanes(run, spans, clock)} whole={wholeOf(run, clock)} />;
}

async function WhatHappened({ run, clock }: Part) {
  return (
    <TimelineSteps
      steps={toTimelineSteps(run, await getRunTimeline(engineDeps().db, run.id), clock)}
      now={clock.toISOString()}
    />
  );
}
