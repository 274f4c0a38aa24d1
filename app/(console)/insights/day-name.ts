import type { Period } from "./period";
import type { Day } from "../zone-days";

const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const long = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

const toDate = (day: Day): Date => new Date(`${day}T00:00:00Z`);

/** "12 Nov" */
export const shortDay = (day: Day): string => short.format(toDate(day));

/** "12 November 2026" */
export const longDay = (day: Day): string => long.format(toDate(day));

/** "on 12 November 2026", "in the last 7 days", "from 1 March 2026 to 4 March 2026" */
export function describePeriod({ choice, firstDay, lastDay }: Period): string {
  if (choice) return `in the last ${choice} days`;
  return firstDay === lastDay ? `on ${longDay(firstDay)}` : `from ${longDay(firstDay)} to ${longDay(lastDay)}`;
}
