import type { z } from "zod";
import { KimitsuError } from "@/lib/errors";

/** Parses what a caller gave; all problems at once, each with its path. */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issues = parsed.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message }));
  throw new KimitsuError(
    "invalid_request",
    issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; "),
    { issues },
  );
}
