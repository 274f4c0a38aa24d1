import { describeCost, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { CALL_WORDS } from "@/components/runs/run-words";
import type { Lane, LaneSpan } from "@/components/runs/time-lanes";
import type { TimelineEntry, TimelineStep } from "@/components/runs/timeline-steps";
import type { RunPage } from "@/lib/store/queries/get-run-page";
import type { RunTimeline, TimelineCall, TimelineTurn, TimelineWait } from "@/lib/store/queries/get-run-timeline";
import { stateOf } from "./step-state";

/** Entries of one step on the timeline; the rest is a click away, in its conversation. */
const ENTRIES_MAX = 24;

/** The lanes of "where the time went": models and tools work, people are waited for, and a thin line joins it to the step. */
export function toLanes(run: RunPage, timeline: RunTimeline, now: Date): Lane[] {
  const end = (run.completedAt ?? now).getTime();
  return run.steps.map((step) => {
    const of = <Row extends { rootStepId: string }>(rows: Row[]) => rows.filter(({ rootStepId }) => rootStepId === step.id);
    const spans: LaneSpan[] = [
      ...(step.startedAt ? [{ kind: "step" as const, from: step.startedAt.getTime(), to: step.completedAt?.getTime() ?? end, title: `${step.key}: ${stateOf(run, step).word}` }] : []),
      ...of(timeline.waits).map((wait) => ({ kind: "person" as const, from: wait.from.getTime(), to: wait.to?.getTime() ?? end, title: `${wait.server}.${wait.tool}: ${describeWait(wait)}` })),
      ...of(timeline.turns).map((turn) => ({ kind: "model" as const, from: turn.endedAt.getTime() - turn.durationMs, to: turn.endedAt.getTime(), title: `turn ${turn.number}, ${describeDuration(turn.durationMs)}` })),
      ...of(timeline.calls).flatMap((call) =>
        call.executingAt ? [{ kind: "tool" as const, from: call.executingAt.getTime(), to: call.completedAt?.getTime() ?? end, title: `${call.server}.${call.tool}, ${CALL_WORDS[call.status].word}` }] : [],
      ),
    ];
    return { id: step.id, label: step.key, href: `/history/${run.id}/steps/${step.id}`, spans, ...stateOf(run, step) };
  });
}

export function toTimelineSteps(run: RunPage, timeline: RunTimeline, now: Date): TimelineStep[] {
  return run.steps.map((step) => {
    const entries = [
      ...timeline.turns.filter(({ rootStepId }) => rootStepId === step.id).map((turn) => toTurnEntry(turn)),
      // A call that people are asked about is the block that waits for them.
      ...timeline.calls.filter(({ rootStepId, status }) => rootStepId === step.id && status !== "pending_approval").map((call) => toCallEntry(call, timeline.waits)),
      ...timeline.waits.filter(({ rootStepId }) => rootStepId === step.id).map((wait) => toWaitEntry(wait, now)),
    ].toSorted((one, other) => one.at.localeCompare(other.at) || one.order - other.order);
    return {
      id: step.id,
      key: step.key,
      ...stateOf(run, step),
      href: `/history/${run.id}/steps/${step.id}`,
      at: step.startedAt?.toISOString() ?? null,
      detail: describeStep(step),
      error: step.error?.message ?? null,
      entries: entries.slice(0, ENTRIES_MAX),
      hidden: Math.max(0, entries.length - ENTRIES_MAX),
    };
  });
}

function describeStep(step: RunPage["steps"][number]): string {
  const { total, ended } = step.children;
  return [
    step.agent ? `agent ${step.agent}` : step.type,
    ...(total > 0 ? [`${ended} of ${total} parts ended`] : []),
    ...(step.costUsd > 0 ? [describeCost(step.costUsd)] : []),
    ...(step.degraded ? ["degraded: concluded without tools"] : []),
  ].join(" · ");
}

function toTurnEntry(turn: TimelineTurn): TimelineEntry {
  return {
    id: turn.id,
    kind: "model",
    order: 0,
    mark: "done",
    at: turn.endedAt.toISOString(),
    title: `Model turn ${turn.number}`,
    isCode: false,
    detail: `${describeNumber(turn.tokensIn)} in, ${describeNumber(turn.tokensOut)} out, ${describeCost(turn.costUsd)} · ${turn.model} · ${describeDuration(turn.durationMs)}`,
  };
}

function toCallEntry(call: TimelineCall, waits: readonly TimelineWait[]): TimelineEntry {
  const { word, mark } = CALL_WORDS[call.status];
  const took = call.executingAt && call.completedAt ? `, ${describeDuration(call.completedAt.getTime() - call.executingAt.getTime())}` : "";
  const wait = waits.findLast((other) => other.callId === call.id);
  // A call that people decided stands after their decision, where it was sent.
  const at = call.executingAt ?? (wait?.to && call.completedAt ? call.completedAt : call.createdAt);
  return { id: call.id, kind: "tool", order: 2, mark, at: at.toISOString(), title: `${call.server}.${call.tool}`, isCode: true, detail: `${call.summary ? `${call.summary} · ` : ""}${word}${took}` };
}

function toWaitEntry(wait: TimelineWait, now: Date): TimelineEntry {
  const lasted = describeDuration((wait.to ?? now).getTime() - wait.from.getTime());
  return {
    id: wait.id,
    kind: "person",
    order: 1,
    mark: "person",
    at: wait.from.toISOString(),
    title: wait.to === null ? `Waiting for a person, ${lasted} so far` : `Waited ${lasted} for a person`,
    isCode: false,
    detail: `${wait.summary || `${wait.server}.${wait.tool}`} · ${describeWait(wait)}`,
    href: wait.to === null ? `/inbox/${wait.id}` : undefined,
  };
}

function describeWait(wait: TimelineWait): string {
  const names = wait.decidedBy.map(({ name, verdict }) => `${verdict} by ${name}`).join(", ");
  if (wait.status === "pending") return names ? `${names}; ${wait.approvals} of ${wait.minApprovals}` : `${wait.approvals} of ${wait.minApprovals} approvals`;
  if (wait.status === "expired") return "expired: nobody decided in time";
  if (wait.status === "cancelled") return "withdrawn";
  return names;
}
