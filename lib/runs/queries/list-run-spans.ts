import type { Db } from "@/lib/database/client";
import { type ReadRun, readRun, unknownTimesOf } from "@/lib/runs/queries/read-run";
import { rootOf } from "@/lib/runs/rules/run-places";

/**
 * A period in which a model or a tool worked, or a person was waited for; or several such periods that are close
 * together.
 */
export interface RunSpan {
  kind: "model" | "tool" | "person";
  rootStepId: string;
  from: Date;
  to: Date;
  /** How many periods it combines. */
  count: number;
  /** Their total length; for several, without the time between them. */
  workMs: number;
  /** Which turn or tool it was, and its outcome; empty when there are too many to name each. */
  name: string;
  status: string;
}

/**
 * How the time of a run, or of a part of it, was spent. For each kind and step there are at most `max` spans: if there
 * are more, they are split at the longest gaps, and everything between is combined. So nothing is cut off, and a
 * narrower part has more detail. While a call's outcome is unknown, a person is waited for and no tool works.
 */
export async function listRunSpans(
  db: Db,
  runId: string,
  { from, to, max }: { from: Date; to: Date; max: number },
): Promise<RunSpan[]> {
  const read = await readRun(db, runId);
  if (!read) return [];
  const spans = listAll(read, to).filter(({ began, ended }) => began <= to.getTime() && ended >= from.getTime());
  const lanes = Map.groupBy(spans, ({ kind, root }) => `${kind} ${root}`);
  return [...lanes.values()]
    .flatMap((lane) => drawLane(lane, max))
    .toSorted((one, other) => one.from.getTime() - other.from.getTime());
}

interface Stretch {
  began: number;
  ended: number;
}

interface Span extends Stretch {
  kind: RunSpan["kind"];
  root: string;
  name: string;
  status: string;
}

function drawLane(lane: readonly Span[], max: number): RunSpan[] {
  const [first] = lane;
  if (!first) return [];
  const { kind, root: rootStepId } = first;
  const draw = ({ began, ended }: Stretch) => ({ kind, rootStepId, from: new Date(began), to: new Date(ended) });
  if (lane.length <= max) {
    const workMs = ({ began, ended }: Stretch) => ended - began;
    return lane.map((span) => ({
      ...draw(span),
      count: 1,
      workMs: workMs(span),
      name: span.name,
      status: span.status,
    }));
  }
  return partAtLargestGaps(lane, max).map((part) => ({
    ...draw(part),
    count: part.count,
    workMs: part.workMs,
    name: "",
    status: "",
  }));
}

/** What has not ended yet ends at `to`. */
function listAll(read: ReadRun, to: Date): Span[] {
  const { steps, turns, calls, approvals } = read.snapshot;
  const roots = new Map([...steps.keys()].map((id) => [id, rootOf(read.snapshot, id)?.id ?? id]));
  const unknown = unknownTimesOf(read);
  const timeOf = (text: string | null): number => (text === null ? to.getTime() : Date.parse(text));
  const span = (stepId: string, facts: Omit<Span, "root">): Span => ({
    ...facts,
    ended: Math.max(facts.began, facts.ended),
    root: roots.get(stepId) ?? stepId,
  });
  const models = [...turns.values()].flat().map(({ stepId, number, durationMs, createdAt }) => {
    const ended = Date.parse(createdAt);
    return span(stepId, { kind: "model", began: ended - durationMs, ended, name: `turn ${number}`, status: "" });
  });
  const tools = [...calls.values()].flatMap(({ id, stepId, server, tool, status, executingAt, completedAt }) => {
    if (executingAt === null) return [];
    const name = `${server}.${tool}`;
    const unknownAt = unknown.get(id)?.getTime();
    const ended = unknownAt ?? timeOf(completedAt);
    const asked = { kind: "person", ended: timeOf(completedAt), name, status: "outcome_unknown" } as const;
    return [
      span(stepId, { kind: "tool", began: Date.parse(executingAt), ended, name, status }),
      ...(unknownAt === undefined ? [] : [span(stepId, { ...asked, began: unknownAt })]),
    ];
  });
  const people = [...approvals.values()].map(({ stepId, server, tool, status, createdAt, decidedAt }) =>
    span(stepId, {
      kind: "person",
      name: `${server}.${tool}`,
      status,
      began: Date.parse(createdAt),
      ended: timeOf(decidedAt),
    }),
  );
  return [...models, ...tools, ...people];
}

function partAtLargestGaps(
  stretches: readonly Stretch[],
  max: number,
): (Stretch & { count: number; workMs: number })[] {
  const sorted = stretches.toSorted((one, other) => one.began - other.began);
  let end = Number.NEGATIVE_INFINITY;
  const gaps = sorted.map(({ began, ended }, index) => {
    const length = began - end;
    end = Math.max(end, ended);
    // Gaps of equal length are chosen scattered, or all detail would be at one end.
    return { index, length, chance: (index * 2_654_435_761) % 4_294_967_296 };
  });
  const begins = new Set(
    gaps
      .toSorted((one, other) => other.length - one.length || one.chance - other.chance)
      .slice(0, max)
      .map(({ index }) => index),
  );
  const parts: (Stretch & { count: number; workMs: number })[] = [];
  for (const [index, { began, ended }] of sorted.entries()) {
    const part = begins.has(index) ? undefined : parts.at(-1);
    if (!part) parts.push({ began, ended, count: 1, workMs: ended - began });
    else
      Object.assign(part, {
        ended: Math.max(part.ended, ended),
        count: part.count + 1,
        workMs: part.workMs + ended - began,
      });
  }
  return parts;
}
