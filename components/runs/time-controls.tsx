"use client";

import { ChevronLeft, ChevronRight, Minus, Plus } from "lucide-react";
import { Button } from "@/components/ui/button";
import { isWhole, moveView, type TimeView, WHOLE_VIEW, zoomView } from "./time-view";
import { MOVE_STEP, ZOOM_STEP } from "./use-time-view";

/** The same as dragging, the wheel and the keys, as buttons. */
export function TimeControls({
  view,
  onChange,
}: {
  view: TimeView;
  onChange: (change: (view: TimeView) => TimeView) => void;
}) {
  const whole = isWhole(view);
  return (
    <span
      role="group"
      aria-label="What is shown of the time"
      className="ml-auto inline-flex items-center gap-1.5 print:hidden"
    >
      <Button
        size="icon"
        aria-label="Earlier"
        title="Earlier (←)"
        aria-disabled={view.from <= 0 || undefined}
        onClick={() => onChange((now) => moveView(now, -MOVE_STEP))}
      >
        <ChevronLeft aria-hidden />
      </Button>
      <Button
        size="icon"
        aria-label="Later"
        title="Later (→)"
        aria-disabled={view.to >= 100 || undefined}
        onClick={() => onChange((now) => moveView(now, MOVE_STEP))}
      >
        <ChevronRight aria-hidden />
      </Button>
      <Button
        size="icon"
        aria-label="Zoom out"
        title="Zoom out (−)"
        aria-disabled={whole || undefined}
        onClick={() => onChange((now) => zoomView(now, 1 / ZOOM_STEP))}
      >
        <Minus aria-hidden />
      </Button>
      <Button
        size="icon"
        aria-label="Zoom in"
        title="Zoom in (+), or draw across the lanes"
        onClick={() => onChange((now) => zoomView(now, ZOOM_STEP))}
      >
        <Plus aria-hidden />
      </Button>
      <Button
        size="small"
        title="Show all of it (0)"
        aria-disabled={whole || undefined}
        onClick={() => onChange(() => WHOLE_VIEW)}
      >
        Fit
      </Button>
    </span>
  );
}
