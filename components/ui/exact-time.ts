"use client";

import { useSyncExternalStore } from "react";

const FORMAT: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "long" };
const none = () => () => undefined;

/** The exact time for a tooltip, in the reader's own zone. The server, which does not know the zone, gives UTC. */
export function useExactTime(at: string): string {
  const isHere = useSyncExternalStore(none, () => true, () => false);
  return isHere ? new Date(at).toLocaleString(undefined, FORMAT) : `${at.slice(0, 19).replace("T", " ")} UTC`;
}
