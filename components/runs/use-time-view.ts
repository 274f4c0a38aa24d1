"use client";

import { type RefObject, useEffect, useState } from "react";
import { moveView, selectInView, type TimeView, WHOLE_VIEW, zoomView } from "./time-view";

export const ZOOM_STEP = 2;
export const MOVE_STEP = 0.25;
/** A press that moves less than this is a press and selects nothing. */
const DRAG_MIN_PX = 6;

interface TimeViewState {
  view: TimeView;
  setView: (change: (view: TimeView) => TimeView) => void;
  /** Where a drag began and where it is now, as parts of the width; null while there is none. */
  drawn: { from: number; to: number } | null;
}

/**
 * Which part of a timeline is shown. Dragging across it shows that part; the wheel with Ctrl or ⌘ zooms, a sideways one
 * moves; on the keyboard + and − zoom in and out, the arrows move, 0 shows all. `track` is what stands for the width in
 * each row.
 */
export function useTimeView(figure: RefObject<HTMLElement | null>, track: string): TimeViewState {
  const [view, setView] = useState(WHOLE_VIEW);
  const [drawn, setDrawn] = useState<TimeViewState["drawn"]>(null);
  useEffect(() => {
    const element = figure.current;
    if (!element) return;
    const partAt = (x: number): number => {
      const box = element.querySelector(track)?.getBoundingClientRect();
      return box && box.width > 0 ? (x - box.left) / box.width : 0;
    };
    const stop = new AbortController();
    const on = <K extends keyof HTMLElementEventMap>(type: K, listener: (event: HTMLElementEventMap[K]) => void) =>
      element.addEventListener(type, listener, { signal: stop.signal, passive: false });
    let beganAt: number | null = null;
    on("wheel", (event) => {
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        setView((now) => zoomView(now, 1.0015 ** -event.deltaY, partAt(event.clientX)));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        setView((now) => moveView(now, (event.deltaX || event.deltaY) / element.clientWidth));
      }
    });
    on("pointerdown", (event) => {
      if (event.button === 0 && event.target instanceof Element && event.target.closest(track)) beganAt = event.clientX;
    });
    on("pointermove", (event) => {
      if (beganAt === null || Math.abs(event.clientX - beganAt) < DRAG_MIN_PX) return;
      element.setPointerCapture(event.pointerId);
      setDrawn({ from: partAt(beganAt), to: partAt(event.clientX) });
    });
    const end = (event: PointerEvent, isDone: boolean) => {
      const from = beganAt;
      beganAt = null;
      setDrawn(null);
      if (isDone && from !== null && Math.abs(event.clientX - from) >= DRAG_MIN_PX)
        setView((now) => selectInView(now, partAt(from), partAt(event.clientX)));
    };
    on("pointerup", (event) => end(event, true));
    on("pointercancel", (event) => end(event, false));
    on("keydown", (event) => {
      const change = event.altKey || event.ctrlKey || event.metaKey ? undefined : KEYS[event.key];
      if (!change) return;
      event.preventDefault();
      setView(change);
    });
    return () => stop.abort();
  }, [figure, track]);
  return { view, setView, drawn };
}

const KEYS: Readonly<Record<string, (view: TimeView) => TimeView>> = {
  "+": (view) => zoomView(view, ZOOM_STEP),
  "=": (view) => zoomView(view, ZOOM_STEP),
  "-": (view) => zoomView(view, 1 / ZOOM_STEP),
  "0": () => WHOLE_VIEW,
  ArrowLeft: (view) => moveView(view, -MOVE_STEP),
  ArrowRight: (view) => moveView(view, MOVE_STEP),
};
