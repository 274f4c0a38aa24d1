"use client";

import { useEffect, useState } from "react";
import { describeAge } from "./describe-age";
import { useExactTime, useIsHere } from "./exact-time";

const REFRESH_MS = 30_000;

/** "3 min ago", updated while the page is open. `now` is the server's clock at render, so that both sides agree. */
export function RelativeTime({ at, now }: { at: string; now: string }) {
  const [clock, setClock] = useState(now);
  useEffect(() => {
    const timer = setInterval(() => setClock(new Date().toISOString()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  const zone = useIsHere() ? new Intl.DateTimeFormat().resolvedOptions().timeZone : undefined;
  return (
    <time dateTime={at} title={useExactTime(at)} className="whitespace-nowrap tabular-nums">
      {describeAge(at, clock, zone)}
    </time>
  );
}
