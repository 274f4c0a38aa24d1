import { z } from "zod";
import { declareBuiltin } from "./declare-builtin";
import { FILES } from "./files";

const line = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^<>\n\0]+$/, "must not contain <, > or line breaks");

export const GIT = declareBuiltin({
  name: "kimitsu/git",
  description: "Looks at one git repository and commits to it",
  timeoutMs: 70_000,
  params: z.strictObject({
    allowed_base: FILES.params.shape.allowed_base.describe(
      "The repository, with `.git` in it; relative to the project folder unless it begins with /",
    ),
    author_name: line.default("Kimitsu").describe("Author of commits"),
    author_email: line.default("kimitsu@localhost").describe("Its e-mail address"),
    max_output_bytes: z
      .int()
      .min(1)
      .max(4 * 1024 * 1024)
      .default(256 * 1024)
      .describe("Most bytes of an answer; a longer one is cut, and the result says so"),
  }),
  tools: {
    status: { danger: "safe" },
    diff: { danger: "safe" },
    log: { danger: "safe" },
    show: { danger: "safe" },
    add: { danger: "medium" },
    branch: { danger: "medium" },
    commit: { danger: "medium", summary: "Commit what is staged: {{ args.message }}" },
  },
});
