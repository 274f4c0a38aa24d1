import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";
import type { Scale, Slot } from "./scale";

export const PLOT_HEIGHT = 150;
const TOP = 16;
const FOOT = 22;
const HEIGHT = TOP + PLOT_HEIGHT + FOOT;

/** From the top of the drawing, in pixels. */
export const heightAt = (place: number): number => TOP + PLOT_HEIGHT * (1 - place);

interface Props {
  /** What a screen reader reads instead of the chart; the table below has the figures. */
  label: string;
  scale: Scale;
  describeTick: (value: number) => string;
  slots: readonly Slot[];
  names: readonly string[];
  children: ReactNode;
}

/**
 * Lines with their values at the left, names below, and what is drawn between: widths in percent, so that words keep
 * their shape at any size.
 */
export function Plot({ label, scale, describeTick, slots, names, children }: Props) {
  return (
    <div role="img" aria-label={label} className="grid grid-cols-[52px_minmax(0,1fr)]">
      <svg aria-hidden width="52" height={HEIGHT}>
        {scale.ticks.map((tick) => (
          <text
            key={tick}
            x="44"
            y={heightAt(scale.place(tick)) + 4}
            textAnchor="end"
            className="fill-ink-3 text-2xs tabular-nums"
          >
            {describeTick(tick)}
          </text>
        ))}
      </svg>
      <svg aria-hidden width="100%" height={HEIGHT} className="overflow-visible">
        {scale.ticks.map((tick) => (
          <line
            key={tick}
            x1="0"
            x2="100%"
            y1={heightAt(scale.place(tick))}
            y2={heightAt(scale.place(tick))}
            className="stroke-line"
          />
        ))}
        {children}
        {slots.map((slot, index) =>
          slot.isNamed ? (
            <text
              key={index}
              x={`${slot.middle}%`}
              y={HEIGHT - 4}
              textAnchor="middle"
              className={classNames("fill-ink-3 text-2xs", !slot.isNamedOnPhone && "max-tablet:hidden")}
            >
              {names[index]}
            </text>
          ) : null,
        )}
      </svg>
    </div>
  );
}
