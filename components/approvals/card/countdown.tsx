"use client";

import { useEffect, useState } from "react";
import { useExactTime } from "@/components/ui/exact-time";
import { useRefresh } from "@/components/ui/online";
import { describeLeft } from "./describe-left";

const TICK_MS = 1000;
/** The sweep that expires approvals needs a moment; then the page asks for the result. */
const ASK_AFTER_MS = 1500;

/** Milliseconds until then by this browser's clock, corrected by what the server's clock was when the page was made. */
export function useLeft(until: string | null, serverNow: string): number | null {
  const [passed, setPassed] = useState({ since: serverNow, ms: 0 });
  useEffect(() => {
    const begun = performance.now();
    const timer = setInterval(() => setPassed({ since: serverNow, ms: performance.now() - begun }), TICK_MS);
    return () => clearInterval(timer);
  }, [serverNow]);
  if (until === null) return null;
  return Date.parse(until) - Date.parse(serverNow) - (passed.since === serverNow ? passed.ms : 0);
}

/** "Expires in 14:32", with a ring that empties. When the time is over, it asks the server how the call ended. */
export function Countdown({ until, from, now }: { until: string; from: string; now: string }) {
  const left = useLeft(until, now) ?? 0;
  const refresh = useRefresh();
  const isOver = left <= 0;
  useEffect(() => {
    if (!isOver) return;
    const timer = setInterval(refresh, ASK_AFTER_MS);
    return () => clearInterval(timer);
  }, [isOver, refresh]);
  const share = Math.max(0, Math.min(1, left / Math.max(1, Date.parse(until) - Date.parse(from))));
  return (
    <span className="inline-flex items-center gap-2 text-sm whitespace-nowrap text-ink-2 tabular-nums">
      <svg viewBox="0 0 20 20" aria-hidden className="size-4 -rotate-90 max-tablet:hidden">
        <circle cx="10" cy="10" r="8" className="fill-none stroke-line [stroke-width:3]" />
        <circle
          cx="10"
          cy="10"
          r="8"
          pathLength={100}
          strokeDasharray={`${Math.round(share * 100)} 100`}
          className="fill-none stroke-ink-2 [stroke-width:3]"
        />
      </svg>
      <time dateTime={until} title={useExactTime(until)}>
        {isOver ? "Time is over" : `Expires in ${describeLeft(left)}`}
      </time>
    </span>
  );
}

/** The short form for a row of the queue. */
export function Left({ until, now }: { until: string; now: string }) {
  const left = useLeft(until, now) ?? 0;
  return (
    <time dateTime={until} title={useExactTime(until)}>
      {left <= 0 ? "over" : describeLeft(left)}
    </time>
  );
}
