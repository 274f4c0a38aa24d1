import { z } from "zod";
import { PAGE_SIZE, PAGE_SIZE_MAX } from "@/lib/domain/limits";

/** Postgres holds no NUL; whatever else is no id is simply not found. */
const textParam = z.string().max(200).refine((text) => !text.includes("\0"), "holds a NUL character");

export const runIdParam = textParam.describe("`run_…`");
export const approvalIdParam = textParam.describe("`apr_…`");
export const callIdParam = textParam.describe("`call_…`");
export const stepParam = textParam.describe("A step's id, as the workflow's file names it");
export const workflowParam = textParam.describe("Name of a root workflow");

export const pageQuery = {
  limit: z.coerce.number().int().min(1).max(PAGE_SIZE_MAX).default(PAGE_SIZE),
  cursor: z.string().max(64).optional().describe("`next_cursor` of the page before"),
};

export const actorSchema = z.strictObject({ kind: z.enum(["user", "token", "agent", "system"]), id: z.string(), name: z.string() }).meta({ id: "Actor" });

/** `a,b` as a list of known words; the words that are not known are named. */
export function listOf<const W extends readonly [string, ...string[]]>(words: W) {
  return z
    .string()
    .max(500)
    .transform((text) => text.split(",").map((word) => word.trim()).filter(Boolean))
    .pipe(z.array(z.enum(words, `is one or several, separated by commas, of ${words.join(", ")}`)));
}
