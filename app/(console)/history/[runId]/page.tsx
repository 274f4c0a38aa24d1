import { TimeLanes } from "@/components/runs/time-lanes";
import { TimelineSteps } from "@/components/runs/timeline-steps";
import { ValueView } from "@/components/runs/value-view";
import { engineDeps } from "@/lib/engine/deps";
import { getRunTimeline } from "@/lib/store/queries/get-run-timeline";
import { loadRun, loadSpans } from "./load-run";
import { toLanes, toTimelineSteps } from "./timeline";

export default async function RunTimelinePage({ params }: PageProps<"/history/[runId]">) {
  const { run, clock } = await loadRun((await params).runId);
  const whole = { from: run.createdAt, to: run.completedAt ?? clock };
  const [timeline, spans] = await Promise.all([getRunTimeline(engineDeps().db, run.id), loadSpans(run, whole)]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] wide:grid-cols-[minmax(0,1fr)_400px]">
      <div className="min-w-0">
        <section aria-label="Where the time went" className="border-b border-line">
          <TimeLanes runId={run.id} lanes={toLanes(run, spans, clock)} whole={{ from: whole.from.getTime(), to: whole.to.getTime() }} />
        </section>
        <section aria-label="What happened" className="px-4 py-5 tablet:px-6">
          <TimelineSteps steps={toTimelineSteps(run, timeline, clock)} />
        </section>
      </div>
      <aside aria-label="Input and output" className="grid min-w-0 content-start gap-6 px-4 py-5 max-wide:border-t max-wide:border-line tablet:px-6 wide:border-l wide:border-line">
        <section className="grid gap-2">
          <h2 className="text-sm font-medium text-ink-2">Started with</h2>
          <ValueView value={run.params} />
        </section>
        <section className="grid gap-2">
          <h2 className="text-sm font-medium text-ink-2">Output</h2>
          {run.status === "complete" ? <ValueView value={run.output} /> : <p className="text-sm text-ink-3">{run.completedAt ? "The run ended without one." : "Not yet; the run is not over."}</p>}
        </section>
      </aside>
    </div>
  );
}
