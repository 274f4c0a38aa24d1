import { z } from "zod";
import { declareBuiltin } from "./declare-builtin";
import { FILES } from "./files";

const words = z
  .string()
  .regex(
    /^[^\s\0]+(?: [^\s\0]+)*$/,
    'expected a program, with or without first arguments, such as "git" or "git push"',
  );

export const SHELL = declareBuiltin({
  name: "kimitsu/shell",
  description: "Runs commands in a sandbox",
  timeoutMs: 610_000,
  params: z.strictObject({
    allowed_base: FILES.params.shape.allowed_base.describe(
      "Working folder, and the only one that can be written; relative to the project folder unless it begins with /",
    ),
    read_only_paths: FILES.params.shape.read_only_paths,
    shell: z
      .boolean()
      .default(false)
      .describe("True: a command is one text that bash reads; false: a list of a program and its arguments"),
    allowed_commands: z
      .array(words)
      .max(200)
      .default([])
      .describe("Programs that may be run, such as `npm` or `npm test`. Empty: all. Not with `shell: true`"),
    blocked_commands: z
      .array(words)
      .max(200)
      .default([])
      .describe("Programs that may not be run, even if allowed above. Not with `shell: true`"),
    network: z.boolean().default(false).describe("True: commands reach the network of this machine"),
    environment: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string())
      .default({})
      .describe("Variables that commands see, besides PATH, HOME and LANG"),
    timeout_seconds: z.int().min(1).max(600).default(60).describe("Longest time of one command"),
    max_output_bytes: z
      .int()
      .min(1)
      .max(4 * 1024 * 1024)
      .default(256 * 1024)
      .describe("Most bytes that a command may print; it is ended when it prints more"),
  }),
  tools: { bash_command: { danger: "high", summary: "Run {{ args.command }}" } },
});
