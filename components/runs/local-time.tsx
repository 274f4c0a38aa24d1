"use client";

import { useSyncExternalStore } from "react";

const none = () => () => undefined;

/**
 * The time of day in the reader's own zone, with the date and UTC as its title. The server, which does not know the
 * zone, gives UTC.
 */
export function LocalTime({ at, withDate = false }: { at: string; withDate?: boolean }) {
  const isHere = useSyncExternalStore(
    none,
    () => true,
    () => false,
  );
  const date = new Date(at);
  const text = isHere
    ? `${withDate ? `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ` : ""}${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
    : at.slice(withDate ? 0 : 11, 19).replace("T", " ");
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace("T", " ")} UTC`} className="whitespace-nowrap tabular-nums">
      {text}
    </time>
  );
}

const two = (number: number): string => String(number).padStart(2, "0");
