"use client";

import Link from "next/link";
import { useMemo, useRef } from "react";
import { classNames } from "@/components/ui/class-names";
import { describeDuration, describeNumber, describeTicks } from "./describe-figures";
import type { Mark } from "./run-words";
import { StatusDot } from "./status-mark";
import { TimeControls } from "./time-controls";
import { buildScale, type Stretch, type TimeScale } from "./time-scale";
import { isWhole, placeInView, type TimeView } from "./time-view";
import { useCloserSpans } from "./use-closer-spans";
import { useTimeView } from "./use-time-view";

export interface LaneSpan extends Stretch {
  kind: "step" | "model" | "tool" | "person";
  /** More than one when they are too close together to be drawn apart. */
  count: number;
  /** Their lengths together. */
  workMs: number;
  title: string;
}

export interface Lane {
  id: string;
  label: string;
  href: string;
  mark: Mark;
  word: string;
  spans: readonly LaneSpan[];
}

const spanClass: Record<LaneSpan["kind"], string> = {
  step: "fill-line-strong",
  model: "fill-accent stroke-accent",
  tool: "fill-ink stroke-ink",
  person: "stroke-high",
};

const COLUMNS = "grid items-center gap-x-4 tablet:grid-cols-[180px_minmax(0,1fr)_190px]";
const TICKS = [0, 0.25, 0.5, 0.75, 1];

interface Props {
  runId: string;
  lanes: readonly Lane[];
  whole: Stretch;
  /** The lanes hold only the steps so far; the figure is as large as it will be. */
  isWaiting?: boolean;
}

/**
 * Where the time went: one lane for each step. Work is solid, waiting for a person is hatched, and the words say the
 * same.
 */
export function TimeLanes({ runId, lanes, whole, isWaiting = false }: Props) {
  const figure = useRef<HTMLElement>(null);
  const { view, setView, drawn } = useTimeView(figure, "svg[data-track]");
  const scale = useMemo(
    () =>
      buildScale(
        whole,
        lanes.flatMap(({ spans }) => spans.filter(({ kind }) => kind === "model" || kind === "tool")),
      ),
    [lanes, whole],
  );
  const shown = useMemo(() => ({ from: scale.timeAt(view.from), to: scale.timeAt(view.to) }), [scale, view]);
  const closer = useCloserSpans({ runId, lanes, shown, whole, isZoomed: !isWhole(view) });
  const drawnSpans = lanes.map((lane) => closer.spansOf(lane));
  return (
    <figure ref={figure} inert={isWaiting} aria-busy={isWaiting} className="grid gap-2 px-4 py-4 tablet:px-6">
      <Hatching />
      <ol className="grid gap-1">
        {lanes.map((lane, index) => (
          <li key={lane.id} className={COLUMNS}>
            <Link href={lane.href} className="flex min-w-0 items-center gap-2 rounded-sm hover:underline">
              <StatusDot mark={lane.mark} />
              <span className="truncate font-medium">{lane.label}</span>
              <span className="sr-only">{lane.word}</span>
            </Link>
            <Track lane={lane} spans={drawnSpans[index] ?? []} scale={scale} view={view} drawn={drawn} />
            <LaneFigures lane={lane} />
          </li>
        ))}
      </ol>
      <Axis scale={scale} view={view} start={whole.from} />
      <figcaption className="flex flex-wrap items-center gap-x-5 gap-y-2 text-sm text-ink-3">
        <Key kind="model">model</Key>
        <Key kind="tool">tool</Key>
        <Key kind="person">waiting for a person</Key>
        <TimeControls view={view} onChange={setView} />
        <span aria-live="polite" className="basis-full text-pretty">
          {describeView(scale, view, whole)}{" "}
          {isWaiting ? WAITING : describeDrawn(drawnSpans.flat(), shown, closer.state)}
        </span>
      </figcaption>
    </figure>
  );
}

function Hatching() {
  return (
    <svg aria-hidden width="0" height="0" className="absolute">
      <defs>
        <pattern id="waiting" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect width="6" height="6" className="fill-high-soft" />
          <rect width="1.5" height="6" className="fill-high" />
        </pattern>
      </defs>
    </svg>
  );
}

function Track({
  lane,
  spans,
  scale,
  view,
  drawn,
}: {
  lane: Lane;
  spans: readonly LaneSpan[];
  scale: TimeScale;
  view: TimeView;
  drawn: Stretch | null;
}) {
  const placed = spans.map((span) => ({
    span,
    from: placeInView(view, scale.place(span.from)),
    to: placeInView(view, scale.place(span.to)),
  }));
  return (
    <svg
      data-track
      role="img"
      aria-label={describeLane(lane)}
      width="100%"
      height="22"
      className="block cursor-crosshair touch-pan-y select-none max-tablet:order-last max-tablet:col-span-full print:cursor-auto"
    >
      <line x1="0" x2="100%" y1="11" y2="11" className="stroke-line" />
      {placed.map(({ span, from, to }, index) =>
        to < 0 || from > 100 ? null : <Span key={index} span={span} from={Math.max(from, -1)} to={Math.min(to, 101)} />,
      )}
      {drawn ? (
        <rect
          x={`${Math.min(drawn.from, drawn.to) * 100}%`}
          width={`${Math.abs(drawn.to - drawn.from) * 100}%`}
          y="0"
          height="22"
          className="fill-accent/15 stroke-accent"
        />
      ) : null}
    </svg>
  );
}

function Span({ span, from, to }: { span: LaneSpan; from: number; to: number }) {
  const height = span.kind === "step" ? 4 : 14;
  return (
    <rect
      x={`${from}%`}
      width={`${Math.max(to - from, 0.12)}%`}
      y={11 - height / 2}
      height={height}
      rx={span.kind === "step" ? 2 : 2.5}
      fill={span.kind === "person" ? "url(#waiting)" : undefined}
      opacity={span.count > 1 ? paleness(span) : undefined}
      className={spanClass[span.kind]}
    >
      <title>{span.title}</title>
    </rect>
  );
}

/** Several that are drawn as one are paler the less of it was work. */
function paleness({ from, to, workMs }: LaneSpan): number {
  return Math.round(100 * Math.min(1, Math.max(0.3, workMs / Math.max(1, to - from)))) / 100;
}

/** How long after the start each part of what is shown was; only the ends and the middle where the lanes are narrow. */
function Axis({ scale, view, start }: { scale: TimeScale; view: TimeView; start: number }) {
  const labels = describeTicks(TICKS.map((part) => scale.timeAt(view.from + (view.to - view.from) * part) - start));
  return (
    <div aria-hidden className={`${COLUMNS} max-tablet:hidden`}>
      <span className="text-sm text-ink-3">after the start</span>
      <svg width="100%" height="18" className="block">
        {TICKS.map((part, place) => (
          <text
            key={part}
            x={`${part * 100}%`}
            y="13"
            textAnchor={part === 0 ? "start" : part === 1 ? "end" : "middle"}
            className={classNames("fill-ink-3 text-2xs tabular-nums", part % 0.5 !== 0 && "wide:max-[1400px]:hidden")}
          >
            {labels[place]}
          </text>
        ))}
      </svg>
    </div>
  );
}

function describeView(scale: TimeScale, view: TimeView, whole: Stretch): string {
  if (!isWhole(view)) {
    const [from, to] = [scale.timeAt(view.from), scale.timeAt(view.to)];
    return `Shown: ${describeDuration(to - from)} of ${describeDuration(whole.to - whole.from)}, from ${describeDuration(from - whole.from)} after the start.`;
  }
  return scale.isFolded
    ? "Time in which nothing worked is drawn shorter than it was."
    : `The whole width is ${describeDuration(whole.to - whole.from)}.`;
}

/** About as long as what will stand there. */
const WAITING =
  "All its turns, calls and questions are being drawn as blocks, paler the less of one was work. They will be here in a moment.";

/** What is shown of how many, when not each is drawn by itself. */
function describeDrawn(
  spans: readonly LaneSpan[],
  { from, to }: Stretch,
  state: "shown" | "loading" | "failed",
): string {
  const inside = spans.filter((span) => span.kind !== "step" && span.to >= from && span.from <= to);
  const count = inside.reduce((all, span) => all + span.count, 0);
  if (count === inside.length) return "";
  const drawn = `${describeNumber(count)} turns, calls and questions are drawn as ${describeNumber(inside.length)} blocks, paler the less of one was work.`;
  return `${drawn} ${state === "loading" ? "Looking closer…" : state === "failed" ? "A closer look could not be loaded." : "Zoom in to tell them apart."}`;
}

function sum(lane: Lane, ...kinds: LaneSpan["kind"][]): number {
  return lane.spans
    .filter(({ kind }) => kinds.includes(kind))
    .reduce((ms, { kind, from, to, workMs }) => ms + (kind === "step" ? to - from : workMs), 0);
}

function describeLane(lane: Lane): string {
  const [worked, waited] = [sum(lane, "model", "tool"), sum(lane, "person")];
  return `${lane.label}, ${lane.word}: ${describeDuration(worked)} of work${waited > 0 ? `, ${describeDuration(waited)} waiting for a person` : ""}`;
}

function LaneFigures({ lane }: { lane: Lane }) {
  const [worked, lasted, waited] = [sum(lane, "model", "tool"), sum(lane, "step"), sum(lane, "person")];
  return (
    <span aria-hidden className="text-sm text-ink-3 tabular-nums max-tablet:hidden">
      {lane.spans.length === 0
        ? lane.word
        : describeDuration(worked > lasted && lasted > 0 ? lasted : worked || lasted)}
      {/* Several at once work for longer than there was time. */}
      {worked > lasted && lasted > 0 ? ` for ${describeDuration(worked)} of work` : null}
      {waited > 0 ? <span className="text-high"> + {describeDuration(waited)} waiting</span> : null}
    </span>
  );
}

function Key({ kind, children }: { kind: LaneSpan["kind"]; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden width="16" height="10">
        <rect
          x="0.75"
          y="0.75"
          width="14.5"
          height="8.5"
          rx="2"
          fill={kind === "person" ? "url(#waiting)" : undefined}
          className={spanClass[kind]}
        />
      </svg>
      {children}
    </span>
  );
}
