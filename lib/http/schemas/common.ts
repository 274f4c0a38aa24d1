import { z } from "zod";
import { PAGE_SIZE, PAGE_SIZE_MAX } from "@/lib/limits";
import { idPattern } from "@/lib/ids";

/** Postgres stores no NUL; any other text that is not an id is simply not found. */
const textParam = z
  .string()
  .max(200)
  .refine((text) => !text.includes("\0"), "holds a NUL character");

export const runIdParam = textParam.describe("`run_…`");
export const approvalIdParam = textParam.describe("`apr_…`");
export const callIdParam = textParam.describe("`call_…`");
export const stepParam = textParam.describe("A step's id, as the workflow's file names it");
export const workflowParam = textParam.describe("Name of a root workflow");

const limit = z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE);

/**
 * An invalid cursor must not start again at the first page: a program that lost its place would read that page for
 * ever.
 */
const cursorOf = (form: RegExp, example: string) =>
  z
    .string()
    .regex(
      form,
      `is not a cursor; give \`next_cursor\` of the page before, such as ${example}, or leave it out for the first page`,
    );

const EXAMPLES = { run: "run_01kc…", call: "call_01kc…", approval: "apr_01kc…", event: "evt_01kc…" } as const;

/** The page of a list whose key is the id of its rows. */
export function pageQuery(kind: keyof typeof EXAMPLES) {
  return {
    limit,
    cursor: cursorOf(idPattern(kind), EXAMPLES[kind]).optional().describe("`next_cursor` of the page before"),
  };
}

/** The page of a list whose key is a place in a sequence. */
export const sequenceQuery = {
  limit,
  cursor: cursorOf(/^[0-9]{1,9}$/, "120")
    .transform(Number)
    .optional()
    .describe("`next_cursor` of the page before, or the `seq` after which to go on"),
};

export const actorSchema = z
  .strictObject({ kind: z.enum(["user", "token", "agent", "system"]), id: z.string(), name: z.string() })
  .meta({ id: "Actor" });

/** `a,b` as a list of known words; unknown ones are named in the error. */
export function listOf<const W extends readonly [string, ...string[]]>(words: W) {
  return z
    .string()
    .max(500)
    .transform((text) =>
      text
        .split(",")
        .map((word) => word.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.enum(words, `is one or several, separated by commas, of ${words.join(", ")}`)));
}
