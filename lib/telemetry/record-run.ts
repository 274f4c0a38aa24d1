/** Records what happens to a run as a whole in metrics and traces. */
import { type Span, trace } from "@opentelemetry/api";
import { metrics } from "./metrics";
import { runSpanContext, runTrace } from "./run-trace";
import { addSpan, linksToActive, tracing, withSpan } from "./span";

const RUN_ID = "kimitsu.run.id";

export interface StartedRun {
  runId: string;
  workflow: string;
  /** When the request for it arrived. */
  startedAt: Date;
  retryOfRunId?: string;
}

/**
 * The parent of all other spans of the run. It covers only the start and not the whole run: a span is sent when it
 * ends, and a run may wait for days, during which its trace would have no beginning.
 */
export function recordRunStarted({ runId, workflow, startedAt, retryOfRunId }: StartedRun): void {
  metrics().runsStarted.inc({ workflow });
  if (!tracing()) return;
  const ids = runSpanContext(runId);
  const links = [
    ...linksToActive(),
    ...(retryOfRunId === undefined ? [] : [{ context: runSpanContext(retryOfRunId) }]),
  ];
  // Linked in both directions: from the request one finds the run, and from the run the request.
  trace.getActiveSpan()?.addLink({ context: ids }).setAttribute(RUN_ID, runId);
  addSpan({
    name: `invoke_workflow ${workflow}`,
    ids,
    startTime: startedAt,
    links,
    attributes: { "gen_ai.operation.name": "invoke_workflow", "gen_ai.workflow.name": workflow, [RUN_ID]: runId },
  });
}

export function recordRunSettled(run: { runId: string; workflow: string; status: string }): void {
  metrics().runsSettled.inc({ workflow: run.workflow, status: run.status });
  if (tracing()) trace.getActiveSpan()?.setAttribute("kimitsu.run.status", run.status);
}

export interface EndedApproval {
  runId: string;
  id: string;
  callId: string;
  server: string;
  tool: string;
  danger: string;
  createdAt: Date;
  endedAt: Date;
  outcome: "approved" | "rejected" | "expired";
}

/** The wait for people is a span of the run, as long as the wait, written by the process in which it ended. */
export function recordApprovalEnded(approval: EndedApproval): void {
  metrics().approvalSeconds.observe(
    { outcome: approval.outcome },
    Math.max(approval.endedAt.getTime() - approval.createdAt.getTime(), 0) / 1000,
  );
  if (!tracing()) return;
  addSpan({
    name: `await_approval ${approval.tool}`,
    parent: runTrace(approval.runId),
    startTime: approval.createdAt,
    endTime: approval.endedAt,
    links: linksToActive(),
    attributes: {
      [RUN_ID]: approval.runId,
      "kimitsu.approval.id": approval.id,
      "kimitsu.approval.outcome": approval.outcome,
      "kimitsu.danger": approval.danger,
      "kimitsu.server": approval.server,
      "gen_ai.tool.name": approval.tool,
      "gen_ai.tool.call.id": approval.callId,
    },
  });
}

/** What a person or a program does to a run that exists: a span of the run, linked with that of the request. */
export function followAct<T>(act: string, runId: string, work: () => Promise<T>): Promise<T> {
  if (!tracing()) return work();
  trace
    .getActiveSpan()
    ?.addLink({ context: runSpanContext(runId) })
    .setAttribute(RUN_ID, runId);
  return withSpan(
    { name: act, parent: runTrace(runId), links: linksToActive(), attributes: { [RUN_ID]: runId } },
    work,
  );
}

/** One period in which a single process advances a run. */
export function followAdvance<T extends { kind: string }>(
  lease: { runId: string; owner: string; epoch: number },
  claimedFrom: Date,
  work: () => Promise<T>,
): Promise<T> {
  if (!tracing()) return work();
  const attributes = { [RUN_ID]: lease.runId, "kimitsu.worker.id": lease.owner, "kimitsu.run.epoch": lease.epoch };
  return withSpan(
    { name: "advance run", parent: runTrace(lease.runId), startTime: claimedFrom, attributes },
    async (span: Span) => {
      const outcome = await work();
      span.setAttribute("kimitsu.advance.outcome", outcome.kind);
      return outcome;
    },
  );
}
