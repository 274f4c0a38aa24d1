"use client";

import { useEffect, useState } from "react";
import type { Lane, LaneSpan } from "./time-lanes";
import type { Stretch } from "./time-scale";

/** Zooming is many small steps; only the final position is requested. */
const REST_MS = 150;
/** This much more on each side is requested, as parts of the view, so that a small move needs no new request. */
const MARGIN = 0.5;
/** What was asked for a wider stretch than this many times the shown one has too little detail for it. */
const WIDER_MAX = 3;

interface Closer extends Stretch {
  /** Of which lanes; newer ones make it old. */
  lanes: readonly Lane[];
  spans: Readonly<Record<string, readonly LaneSpan[]>>;
}

interface Wanted {
  runId: string;
  lanes: readonly Lane[];
  shown: Stretch;
  whole: Stretch;
  isZoomed: boolean;
}

/**
 * The spans of what is shown: those that came with the page, or, where they stand for several and the view is closer,
 * finer ones.
 */
export function useCloserSpans({ runId, lanes, shown, whole, isZoomed }: Wanted) {
  const [closer, setCloser] = useState<Closer | null>(null);
  const [failedAt, setFailedAt] = useState<Stretch | null>(null);
  const covers = closer !== null && isZoomed && closer.from <= shown.from && closer.to >= shown.to;
  const spansOf = (lane: Lane): readonly LaneSpan[] =>
    covers ? [...lane.spans.filter(({ kind }) => kind === "step"), ...(closer.spans[lane.id] ?? [])] : lane.spans;
  const isCoarse =
    isZoomed &&
    lanes.some((lane) =>
      spansOf(lane).some((span) => span.count > 1 && span.to >= shown.from && span.from <= shown.to),
    );
  const isFine = covers && closer.lanes === lanes && closer.to - closer.from <= WIDER_MAX * (shown.to - shown.from);
  const isAsking = isCoarse && !isFine;
  useEffect(() => {
    if (!isAsking) return;
    const stop = new AbortController();
    const margin = (shown.to - shown.from) * MARGIN;
    const asked = {
      from: Math.floor(Math.max(whole.from, shown.from - margin)),
      to: Math.ceil(Math.min(whole.to, shown.to + margin)),
    };
    const ask = async () => {
      try {
        const response = await fetch(`/history/${runId}/spans?from=${asked.from}&to=${asked.to}`, {
          signal: stop.signal,
        });
        if (!response.ok) throw new Error(`the server answered ${response.status}`);
        setCloser({ ...asked, lanes, spans: (await response.json()) as Closer["spans"] });
      } catch {
        if (!stop.signal.aborted) setFailedAt(shown);
      }
    };
    const timer = setTimeout(() => void ask(), REST_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [isAsking, runId, lanes, shown, whole]);
  return {
    spansOf,
    state: !isAsking ? ("shown" as const) : failedAt === shown ? ("failed" as const) : ("loading" as const),
  };
}
