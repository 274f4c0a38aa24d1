import { momentOf, wallTime } from "./zone-days";

const PICKED = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/;

/** As pickers give them: without a zone. */
interface PickedTimes {
  from?: string;
  to?: string;
}

/**
 * The address with the moments that the reader's clock means, when a picker or a person gave times without a zone; null
 * when there are none. So an address shows the same to someone elsewhere.
 */
export function settleTimes<T extends PickedTimes>(query: T, zone: string): T | null {
  const settle = (text: string | undefined): string | undefined => {
    const at = text !== undefined && PICKED.test(text) ? momentOf(text, zone) : null;
    return at?.toISOString() ?? text;
  };
  const [from, to] = [settle(query.from), settle(query.to)];
  return from === query.from && to === query.to ? null : { ...query, from, to };
}

/** What the browser's picker takes; a time it cannot hold is left to the notice that reports it. */
export function pickerValue(text: string | undefined, zone: string): string | undefined {
  const at = new Date(text ?? "");
  return Number.isNaN(at.getTime()) ? undefined : wallTime(at, zone).slice(0, 16);
}

/** "Berlin" for Europe/Berlin: short enough for a label. */
export const placeOf = (zone: string): string => zone.split("/").at(-1)?.replaceAll("_", " ") ?? zone;
