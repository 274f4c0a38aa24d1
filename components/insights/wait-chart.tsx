import { describeDuration } from "@/components/runs/describe-figures";
import { heightAt, Plot } from "./plot";
import { placeSlots, waitScale } from "./scale";
import type { VerdictPart } from "./verdict-chart";

const DOT = 2.5;
/** Wide enough to be seen around the dot, where both are the same. */
const RING = 4.5;

/** How long people took, part by part: half of the decisions were made by the dot, nine of ten by the ring. */
export function WaitChart({ parts, label }: { parts: readonly VerdictPart[]; label: string }) {
  const slots = placeSlots(parts.length);
  const scale = waitScale(
    parts.flatMap(({ p50Ms, p90Ms }) => (p50Ms === null || p90Ms === null ? [] : [p50Ms, p90Ms])),
  );
  return (
    <figure className="grid gap-2">
      <Plot
        label={label}
        scale={scale}
        describeTick={describeDuration}
        slots={slots}
        names={parts.map(({ name }) => name)}
      >
        {slots.map(({ middle }, index) => {
          const part = parts[index];
          if (!part || part.p50Ms === null || part.p90Ms === null) return null;
          const [half, most] = [heightAt(scale.place(part.p50Ms)), heightAt(scale.place(part.p90Ms))];
          return (
            <g key={index}>
              <title>{`${part.name}: half within ${describeDuration(part.p50Ms)}, nine of ten within ${describeDuration(part.p90Ms)}`}</title>
              <line x1={`${middle}%`} x2={`${middle}%`} y1={half} y2={most} className="stroke-ink-3" />
              <circle cx={`${middle}%`} cy={most} r={RING} className="fill-paper stroke-ink-2 stroke-[1.5]" />
              <circle cx={`${middle}%`} cy={half} r={DOT} className="fill-ink-2" />
            </g>
          );
        })}
      </Plot>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-ink-3">
        <Key name="half were decided by then" radius={DOT} className="fill-ink-2 stroke-ink-2" />
        <Key name="nine of ten were decided by then" radius={RING} className="fill-paper stroke-ink-2" />
      </figcaption>
    </figure>
  );
}

function Key({ name, radius, className }: { name: string; radius: number; className: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg aria-hidden width="12" height="12">
        <circle cx="6" cy="6" r={radius} className={`stroke-[1.5] ${className}`} />
      </svg>
      {name}
    </span>
  );
}
