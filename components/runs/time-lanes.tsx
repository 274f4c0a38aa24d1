import Link from "next/link";
import { describeDuration } from "./describe-figures";
import type { Mark } from "./run-words";
import { StatusDot } from "./status-mark";
import { buildScale, type Stretch } from "./time-scale";

export interface LaneSpan extends Stretch {
  kind: "step" | "model" | "tool" | "person";
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

/** Where the time went: one lane for each step. Work is solid, waiting for a person is hatched, and the words say the same. */
export function TimeLanes({ lanes, whole }: { lanes: readonly Lane[]; whole: Stretch }) {
  const busy = lanes.flatMap(({ spans }) => spans.filter(({ kind }) => kind === "model" || kind === "tool"));
  const scale = buildScale(whole, busy);
  return (
    <figure className="grid gap-2 px-4 py-4 tablet:px-6">
      <svg aria-hidden width="0" height="0" className="absolute">
        <defs>
          <pattern id="waiting" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect width="6" height="6" className="fill-high-soft" />
            <rect width="1.5" height="6" className="fill-high" />
          </pattern>
        </defs>
      </svg>
      <ol className="grid gap-1">
        {lanes.map((lane) => (
          <li key={lane.id} className="grid items-center gap-x-4 tablet:grid-cols-[180px_minmax(0,1fr)_190px]">
            <Link href={lane.href} className="flex min-w-0 items-center gap-2 rounded-sm hover:underline">
              <StatusDot mark={lane.mark} />
              <span className="truncate font-medium">{lane.label}</span>
              <span className="sr-only">{lane.word}</span>
            </Link>
            <svg role="img" aria-label={describeLane(lane)} width="100%" height="22" className="block max-tablet:order-last max-tablet:col-span-full">
              <line x1="0" x2="100%" y1="11" y2="11" className="stroke-line" />
              {lane.spans.map((span, index) => (
                <Span key={index} span={span} from={scale.place(span.from)} to={scale.place(span.to)} />
              ))}
            </svg>
            <LaneFigures lane={lane} />
          </li>
        ))}
      </ol>
      <figcaption className="flex flex-wrap items-center gap-x-5 gap-y-1 text-sm text-ink-3">
        <Key kind="model">model</Key>
        <Key kind="tool">tool</Key>
        <Key kind="person">waiting for a person</Key>
        <span>{scale.isFolded ? "Time in which nothing worked is drawn shorter than it was." : `The whole width is ${describeDuration(whole.to - whole.from)}.`}</span>
      </figcaption>
    </figure>
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
      className={spanClass[span.kind]}
    >
      <title>{span.title}</title>
    </rect>
  );
}

function sum(lane: Lane, ...kinds: LaneSpan["kind"][]): number {
  return lane.spans.filter(({ kind }) => kinds.includes(kind)).reduce((ms, { from, to }) => ms + to - from, 0);
}

function describeLane(lane: Lane): string {
  const [worked, waited] = [sum(lane, "model", "tool"), sum(lane, "person")];
  return `${lane.label}, ${lane.word}: ${describeDuration(worked)} of work${waited > 0 ? `, ${describeDuration(waited)} waiting for a person` : ""}`;
}

function LaneFigures({ lane }: { lane: Lane }) {
  const waited = sum(lane, "person");
  return (
    <span aria-hidden className="text-sm text-ink-3 tabular-nums max-tablet:hidden">
      {lane.spans.length === 0 ? lane.word : describeDuration(sum(lane, "model", "tool") || sum(lane, "step"))}
      {waited > 0 ? <span className="text-high"> + {describeDuration(waited)} waiting</span> : null}
    </span>
  );
}

function Key({ kind, children }: { kind: LaneSpan["kind"]; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden width="16" height="10">
        <rect x="0.75" y="0.75" width="14.5" height="8.5" rx="2" fill={kind === "person" ? "url(#waiting)" : undefined} className={spanClass[kind]} />
      </svg>
      {children}
    </span>
  );
}
