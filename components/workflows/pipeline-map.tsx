"use client";

import Link from "next/link";
import { usePathname } from "next/navigation";
import { classNames } from "@/components/ui/class-names";
import type { Mark } from "@/components/runs/run-words";
import { layoutPipeline } from "./layout-pipeline";

export interface MapNode {
  id: string;
  label: string;
  /** Agent, sub-workflow, or the kind of step. */
  detail: string;
  dependsOn: readonly string[];
  /** How far it came, on the page of a run. */
  state?: { mark: Mark; word: string };
  href?: string;
}

const WIDTH = 206;
const HEIGHT = 46;
const GAP_X = 44;
const GAP_Y = 14;
/** Names that are longer end in an ellipsis; the whole name is the title of the node. */
const LABEL_MAX = 23;

const dots: Record<Mark, string> = {
  done: "fill-ok stroke-ok",
  partly: "fill-medium stroke-medium",
  failed: "fill-critical stroke-critical",
  working: "fill-accent stroke-accent",
  person: "fill-panel stroke-high stroke-2",
  idle: "fill-panel stroke-edge",
  none: "fill-edge stroke-edge",
};

interface Props {
  label: string;
  nodes: readonly MapNode[];
}

/** The pipeline as a map with links: plain SVG, so that it is shown before any script, and prints as it looks. */
export function PipelineMap({ label, nodes }: Props) {
  const pathname = usePathname();
  const placed = layoutPipeline(nodes);
  const places = [...placed.values()];
  const width = (Math.max(0, ...places.map(({ column }) => column)) + 1) * (WIDTH + GAP_X) - GAP_X;
  const height = (Math.max(0, ...places.map(({ row }) => row)) + 1) * (HEIGHT + GAP_Y) - GAP_Y;
  const at = (id: string) => {
    const { column, row } = placed.get(id) ?? { column: 0, row: 0 };
    return { x: column * (WIDTH + GAP_X), y: row * (HEIGHT + GAP_Y) };
  };
  const edges = nodes.flatMap((node) =>
    node.dependsOn.filter((id) => placed.has(id)).map((id) => ({ from: id, to: node.id })),
  );
  return (
    <div role="region" aria-label={label} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
      <div className="w-fit px-4 py-4 tablet:px-6">
        <svg
          role="group"
          aria-label={label}
          width={width + 4}
          height={height + 4}
          viewBox={`-2 -2 ${width + 4} ${height + 4}`}
          className="block"
        >
          {edges.map(({ from, to }) => (
            <Edge key={`${from} ${to}`} from={at(from)} to={at(to)} />
          ))}
          {nodes.map((node) => (
            <Node key={node.id} node={node} {...at(node.id)} isCurrent={node.href === pathname} />
          ))}
        </svg>
      </div>
    </div>
  );
}

interface Point {
  x: number;
  y: number;
}

function Edge({ from, to }: { from: Point; to: Point }) {
  const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
  const bend = GAP_X / 2;
  return (
    <path
      aria-hidden
      d={`M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`}
      className="fill-none stroke-line-strong stroke-[1.5]"
    />
  );
}

function Node({ node, x, y, isCurrent }: { node: MapNode; isCurrent: boolean } & Point) {
  const { state, href } = node;
  const label = cut(node.label);
  const detail = cut(state ? `${state.word} · ${node.detail}` : node.detail, LABEL_MAX + 7);
  const body = (
    <>
      <rect
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        rx={8}
        className={classNames(
          "fill-panel stroke-line-strong group-hover:stroke-edge",
          isCurrent && "fill-accent-soft stroke-accent",
          state?.mark === "idle" && "[stroke-dasharray:3_3]",
        )}
      >
        {label === node.label ? null : <title>{node.label}</title>}
      </rect>
      {state?.mark === "failed" ? (
        <rect x={x + 12} y={y + 12} width={9} height={9} rx={2} className={dots.failed} />
      ) : state ? (
        <circle cx={x + 16.5} cy={y + 16.5} r={4.5} className={dots[state.mark]} />
      ) : null}
      <text x={x + (state ? 29 : 13)} y={y + 20.5} className="fill-ink text-[13px] font-medium">
        {/* The blank keeps the two lines apart where they are read as one name. */}
        {`${label} `}
      </text>
      <text x={x + (state ? 29 : 13)} y={y + 36} className="fill-ink-3 text-[11.5px]">
        {detail}
      </text>
    </>
  );
  return href ? (
    <Link
      href={href}
      aria-current={isCurrent ? "true" : undefined}
      className="group outline-none [&:focus-visible>rect]:stroke-accent [&:focus-visible>rect]:stroke-2"
      scroll={false}
    >
      {body}
    </Link>
  ) : (
    <g>{body}</g>
  );
}

function cut(text: string, max = LABEL_MAX): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}
