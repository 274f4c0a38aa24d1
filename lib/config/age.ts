import { z } from "zod";

const DAY_MS = 86_400_000;
/** A year counts 366 days, so that nothing is deleted too early. */
const UNIT_DAYS = { d: 1, y: 366 } as const;
const FORM = 'a whole number and a unit (d, y), such as "90d" or "7y"';

/** How long something finished is kept; parsed to milliseconds. */
export function ageSchema() {
  return z
    .string({ error: `expected ${FORM}` })
    .transform((text, context) => {
      const match = /^([1-9][0-9]{0,3})(d|y)$/.exec(text);
      if (match) return Number(match[1]) * UNIT_DAYS[match[2] as keyof typeof UNIT_DAYS] * DAY_MS;
      const message = `${JSON.stringify(text.slice(0, 40))} is not an age; write ${FORM}`;
      context.addIssue({ code: "custom", message, input: text });
      return z.NEVER;
    })
    .describe('An age: a whole number and a unit, "90d" or "7y"');
}
