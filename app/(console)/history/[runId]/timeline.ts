import { describeCost, describeCount, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { CALL_WORDS } from "@/components/runs/run-words";
import type { Lane, LaneSpan } from "@/components/runs/time-lanes";
import type { TimelineEntry, TimelineStep } from "@/components/runs/timeline-steps";
import type { RunPage } from "@/lib/runs/queries/get-run-page";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import type {
  RunTimeline,
  TimelineCall,
  TimelineThing,
  TimelineTurn,
  TimelineWait,
} from "@/lib/runs/queries/get-run-timeline";
import type { RunSpan } from "@/lib/runs/queries/list-run-spans";
import { actsOnCall, toShownAct } from "./acts";
import { stateOf } from "./step-state";

/** One lane for each step: models and tools work, people are waited for, and a thin line joins them to the step. */
export function toLanes(run: RunPage, spans: readonly RunSpan[], now: Date): Lane[] {
  const end = (run.completedAt ?? now).getTime();
  const byStep = toLaneSpans(spans);
  return run.steps.map((step) => {
    const whole: LaneSpan[] = step.startedAt
      ? [
          {
            kind: "step",
            from: step.startedAt.getTime(),
            to: step.completedAt?.getTime() ?? end,
            count: 1,
            workMs: 0,
            title: `${step.key}: ${stateOf(run, step).word}`,
          },
        ]
      : [];
    return {
      id: step.id,
      label: step.key,
      href: `/history/${run.id}/steps/${step.id}`,
      spans: [...whole, ...(byStep[step.id] ?? [])],
      ...stateOf(run, step),
    };
  });
}

/** By step of the pipeline; people first, so that work is drawn over waiting. */
export function toLaneSpans(spans: readonly RunSpan[]): Record<string, LaneSpan[]> {
  const byStep: Record<string, LaneSpan[]> = {};
  for (const kind of ["person", "model", "tool"] as const) {
    for (const span of spans)
      if (span.kind === kind)
        (byStep[span.rootStepId] ??= []).push({
          kind,
          from: span.from.getTime(),
          to: span.to.getTime(),
          count: span.count,
          workMs: span.workMs,
          title: describeSpan(span),
        });
  }
  return byStep;
}

const THINGS = { model: "turn", tool: "call", person: "question" } as const;

function describeSpan({ kind, count, name, status, workMs }: RunSpan): string {
  const long = describeDuration(workMs);
  if (count > 1 || name === "") return `${describeCount(count, THINGS[kind])}, ${long}`;
  if (kind === "model") return `${name}, ${long}`;
  const word =
    kind === "tool"
      ? CALL_WORDS[status as CallStatus].word
      : status === "outcome_unknown"
        ? "until it was settled"
        : status;
  return `${name}, ${word}, ${long}`;
}

export function toTimelineSteps(run: RunPage, { entries, totals }: RunTimeline, now: Date): TimelineStep[] {
  return run.steps.map((step) => {
    const own = entries.filter(({ rootStepId }) => rootStepId === step.id);
    return {
      id: step.id,
      key: step.key,
      ...stateOf(run, step),
      href: `/history/${run.id}/steps/${step.id}`,
      at: step.startedAt?.toISOString() ?? null,
      detail: describeStep(step),
      error: step.error?.message ?? null,
      acts: run.acts
        .filter((act) => act.kind === "reviewed" && act.rootStepId === step.id)
        .map((act) => toShownAct(act, { isNamed: act.kind === "reviewed" && act.stepId !== step.id })),
      entries: own.map(({ thing, number, at }) => ({
        ...toEntry(thing, now),
        number,
        at: at.toISOString(),
        acts: thing.kind === "call" ? actsOnCall(run.acts, thing.call.id) : [],
      })),
      total: totals.get(step.id) ?? 0,
    };
  });
}

function toEntry(thing: TimelineThing, now: Date) {
  if (thing.kind === "turn") return toTurnEntry(thing.turn);
  return thing.kind === "call" ? toCallEntry(thing.call) : toWaitEntry(thing.wait, now);
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

type Entry = Omit<TimelineEntry, "number" | "at" | "acts">;

function toTurnEntry(turn: TimelineTurn): Entry {
  return {
    id: turn.id,
    kind: "model",
    mark: "done",
    title: `Model turn ${turn.number}`,
    isCode: false,
    detail: `${describeNumber(turn.tokensIn)} in, ${describeNumber(turn.tokensOut)} out, ${describeCost(turn.costUsd)} · ${turn.model} · ${describeDuration(turn.durationMs)}`,
  };
}

function toCallEntry(call: TimelineCall): Entry {
  const { word, mark } = CALL_WORDS[call.status];
  return {
    id: call.id,
    kind: "tool",
    mark,
    title: `${call.server}.${call.tool}`,
    isCode: true,
    detail: `${call.summary ? `${call.summary} · ` : ""}${[word, ...describeCallTime(call)].join(", ")}`,
  };
}

/** The time of the tool, and separately the time until a person settled the unknown outcome. */
function describeCallTime({ executingAt, unknownAt, completedAt }: TimelineCall): string[] {
  const ended = unknownAt ?? completedAt;
  return [
    ...(executingAt && ended ? [describeDuration(ended.getTime() - executingAt.getTime())] : []),
    ...(unknownAt && completedAt
      ? [`settled after ${describeDuration(completedAt.getTime() - unknownAt.getTime())}`]
      : []),
  ];
}

function toWaitEntry(wait: TimelineWait, now: Date): Entry {
  const lasted = describeDuration((wait.to ?? now).getTime() - wait.from.getTime());
  return {
    id: wait.id,
    kind: "person",
    mark: "person",
    title: wait.to === null ? `Waiting for a person, ${lasted} so far` : `Waited ${lasted} for a person`,
    isCode: false,
    detail: `${wait.summary || `${wait.server}.${wait.tool}`} · ${describeWait(wait)}`,
    href: wait.to === null ? `/inbox/${wait.id}` : undefined,
  };
}

function describeWait(wait: TimelineWait): string {
  const names = wait.decidedBy
    .map(({ name, verdict, reason }) => `${verdict} by ${name}${reason ? `: “${reason}”` : ""}`)
    .join(", ");
  if (wait.status === "pending")
    return names
      ? `${names}; ${wait.approvals} of ${wait.minApprovals}`
      : `${wait.approvals} of ${describeCount(wait.minApprovals, "approval")}`;
  if (wait.status === "expired") return "expired: nobody decided in time";
  if (wait.status === "cancelled") return "withdrawn";
  return names;
}
