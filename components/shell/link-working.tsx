"use client";

import { useLinkStatus } from "next/link";

/** Inside a link that is `relative`: a thin bar at its foot while the page it leads to is on its way. Quick pages never show it. */
export function LinkWorking() {
  const { pending } = useLinkStatus();
  return pending ? <span aria-hidden className="working-bar absolute inset-x-1 bottom-0 h-0.5 rounded-full" /> : null;
}
