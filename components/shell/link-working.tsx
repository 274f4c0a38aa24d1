"use client";

import { useLinkStatus } from "next/link";
import { classNames } from "@/components/ui/class-names";

/**
 * Inside a link that is `relative`: a thin bar at its foot while the page it leads to is on its way. Quick pages never
 * show it.
 */
export function LinkWorking({ className }: { className?: string }) {
  const { pending } = useLinkStatus();
  return pending ? (
    <span aria-hidden className={classNames("working-bar absolute inset-x-1 bottom-0 h-0.5 rounded-full", className)} />
  ) : null;
}
