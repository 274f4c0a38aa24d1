"use client";

import { useSyncExternalStore } from "react";

const FORMAT: Intl.DateTimeFormatOptions = { dateStyle: "medium", timeStyle: "long" };
const none = () => () => undefined;

/** False on the server and until hydration: there the reader's zone is not known, and times are in UTC. */
export const useIsHere = (): boolean =>
  useSyncExternalStore(
    none,
    () => true,
    () => false,
  );

/** The exact time for a tooltip, in the reader's own zone. */
export function useExactTime(at: string): string {
  return useIsHere() ? new Date(at).toLocaleString(undefined, FORMAT) : `${at.slice(0, 19).replace("T", " ")} UTC`;
}
