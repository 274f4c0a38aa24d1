"use client";

import { NavCount } from "./nav-count";
import { useWaiting } from "./waiting";

/** How many calls wait, now. */
export function WaitingCount({ count: made, className }: { count: number; className: string }) {
  return <NavCount count={useWaiting(made)} words="waiting" className={className} />;
}
