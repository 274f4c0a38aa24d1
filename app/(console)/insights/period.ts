import { SPAN_DAYS_MAX } from "@/lib/insights/queries/span";
import { oneText } from "../search-params";
import { addDays, type Day, dayAt, daysBetween, parseDay, startOfDay } from "../zone-days";

export const PERIODS = ["7", "30", "90"] as const;
const USUAL = "30";
/** More bars than this cannot be distinguished; from there on each is a week. */
const DAYS_SHOWN_MAX = 92;

export interface Period {
  /** One of PERIODS, or null for days that the reader chose. */
  choice: (typeof PERIODS)[number] | null;
  firstDay: Day;
  lastDay: Day;
  from: Date;
  to: Date;
  /** What the bars represent, with the first moment of each. */
  unit: "day" | "week";
  parts: { day: Day; from: Date; to: Date }[];
}

interface Place {
  now: Date;
  zone: string;
}

/** The days that the address asks for. What cannot be read is reported, and the usual period is shown. */
export function readPeriod(
  params: Record<string, string | string[] | undefined>,
  place: Place,
): { period: Period; problems: string[] } {
  const [days, from, to] = [oneText(params.days), oneText(params.from), oneText(params.to)];
  const today = dayAt(place.now, place.zone);
  const usual = (choice: (typeof PERIODS)[number]) =>
    toPeriod(choice, { first: addDays(today, 1 - Number(choice)), last: today }, place.zone);
  if (from !== undefined || to !== undefined) {
    const read = readDays(from, to, today);
    return "problem" in read
      ? { period: usual(USUAL), problems: [read.problem] }
      : { period: toPeriod(null, read, place.zone), problems: [] };
  }
  const choice = PERIODS.find((known) => known === (days ?? USUAL));
  return choice
    ? { period: usual(choice), problems: [] }
    : { period: usual(USUAL), problems: [`“days” is one of ${PERIODS.join(", ")}, not ${days}.`] };
}

/** An end that is left out is today; a beginning that is left out is a usual period before the end. */
function readDays(
  from: string | undefined,
  to: string | undefined,
  today: Day,
): { first: Day; last: Day } | { problem: string } {
  const last = to === undefined ? today : parseDay(to);
  if (last === null) return { problem: `“to” is not a day: ${to}. Write it as 2026-01-31.` };
  const first = from === undefined ? addDays(last, 1 - Number(USUAL)) : parseDay(from);
  if (first === null) return { problem: `“from” is not a day: ${from}. Write it as 2026-01-31.` };
  const days = daysBetween(first, last) + 1;
  if (days < 1) return { problem: `The first day, ${first}, is after the last, ${last}.` };
  if (days > SPAN_DAYS_MAX) return { problem: `These are ${days} days; at most ${SPAN_DAYS_MAX} are counted at once.` };
  return { first, last };
}

function toPeriod(
  choice: Period["choice"],
  { first: firstDay, last: lastDay }: Record<"first" | "last", Day>,
  zone: string,
): Period {
  const days = daysBetween(firstDay, lastDay) + 1;
  const unit = days > DAYS_SHOWN_MAX ? "week" : "day";
  const to = startOfDay(addDays(lastDay, 1), zone);
  const step = unit === "week" ? 7 : 1;
  const firsts = Array.from({ length: Math.ceil(days / step) }, (_, index) => addDays(firstDay, index * step));
  const starts = firsts.map((day) => startOfDay(day, zone));
  const parts = firsts.map((day, index) => ({ day, from: starts[index] ?? to, to: starts[index + 1] ?? to }));
  return { choice, firstDay, lastDay, from: startOfDay(firstDay, zone), to, unit, parts };
}
