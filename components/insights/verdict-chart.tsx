import type { Verdicts } from "@/lib/insights/queries/get-verdicts";
import { heightAt, Plot, PLOT_HEIGHT } from "./plot";
import { countScale, placeSlots, type Slot } from "./scale";
import { OutcomeKey, outcomeLook, OUTCOMES } from "./verdict-fill";

export interface VerdictPart extends Verdicts {
  /** "12 Nov" */
  name: string;
}

/** With more bars than this, the number above each would run into the next. */
const NUMBERED_MAX = 31;
const NUMBERED_MAX_ON_PHONE = 10;

const totalOf = ({ approved, rejected, expired }: Verdicts): number => approved + rejected + expired;

/** How approvals ended, part by part: one bar each, made of approved, rejected and expired. */
export function VerdictChart({ parts, label }: { parts: readonly VerdictPart[]; label: string }) {
  const slots = placeSlots(parts.length);
  const scale = countScale(Math.max(...parts.map(totalOf)));
  const numberClass =
    parts.length > NUMBERED_MAX ? "hidden" : parts.length > NUMBERED_MAX_ON_PHONE ? "max-tablet:hidden" : "";
  return (
    <figure className="grid gap-2">
      <Plot label={label} scale={scale} describeTick={String} slots={slots} names={parts.map(({ name }) => name)}>
        {slots.map((slot, index) => {
          const part = parts[index];
          return part && totalOf(part) > 0 ? (
            <Bar key={index} slot={slot} part={part} place={scale.place} numberClass={numberClass} />
          ) : null;
        })}
      </Plot>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 text-sm text-ink-3">
        {OUTCOMES.map((outcome) => (
          <OutcomeKey key={outcome} outcome={outcome} />
        ))}
      </figcaption>
    </figure>
  );
}

function Bar({
  slot,
  part,
  place,
  numberClass,
}: {
  slot: Slot;
  part: VerdictPart;
  place: (count: number) => number;
  numberClass: string;
}) {
  const total = totalOf(part);
  return (
    <g>
      <title>{`${part.name}: ${OUTCOMES.map((outcome) => `${part[outcome]} ${outcome}`).join(", ")}`}</title>
      {OUTCOMES.map((outcome, index) => {
        const top = OUTCOMES.slice(0, index + 1).reduce((sum, each) => sum + part[each], 0);
        return part[outcome] === 0 ? null : (
          <rect
            key={outcome}
            x={`${slot.left}%`}
            width={`${slot.width}%`}
            y={heightAt(place(top))}
            height={PLOT_HEIGHT * place(part[outcome])}
            {...outcomeLook(outcome)}
          />
        );
      })}
      <text
        x={`${slot.middle}%`}
        y={heightAt(place(total)) - 5}
        textAnchor="middle"
        className={`fill-ink-2 text-2xs tabular-nums ${numberClass}`}
      >
        {total}
      </text>
    </g>
  );
}
