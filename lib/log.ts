import pino from "pino";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { activeTraceIds } from "@/lib/telemetry/span";

/**
 * Set by lib/projects/clean-output.ts, which knows the secrets. It cannot be imported here, and Next loads this file
 * more than once.
 */
const kept = globalThis as typeof globalThis & { __kimitsuCleanLine?: (line: string) => string };

/** Limit on nested causes, which also ends a circle of them. */
const CAUSES_MAX = 5;

/**
 * What a database or a library attaches to its errors may be a whole row ("Failing row contains …"), so only fields
 * known to be safe are kept.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === "object" ? { type: "object" } : error;
  const { code, constraint, table } = error as Error & { code?: unknown; constraint?: unknown; table?: unknown };
  const inner = (cause: unknown) => (depth < CAUSES_MAX ? describeError(cause, depth + 1) : undefined);
  return {
    type: error.name === "KimitsuError" ? error.name : error.constructor.name,
    message: error.message,
    stack: error.stack,
    code,
    constraint: typeof constraint === "string" ? constraint : undefined,
    table: typeof table === "string" ? table : undefined,
    details: error instanceof KimitsuError ? error.details : undefined,
    cause: error.cause === undefined ? undefined : inner(error.cause),
    errors: error instanceof AggregateError ? error.errors.map(inner) : undefined,
  };
}

export const logOptions: pino.LoggerOptions = {
  level: env.LOG_LEVEL,
  base: undefined,
  mixin: activeTraceIds,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: (error: unknown) => describeError(error) },
  hooks: { streamWrite: (line) => kept.__kimitsuCleanLine?.(line) ?? line },
  redact: {
    paths: [
      "*.password",
      "*.token",
      "*.secret",
      "*.authorization",
      "*.cookie",
      "password",
      "token",
      "secret",
      "authorization",
      "cookie",
    ],
    censor: "[secret]",
  },
};

/** Structured lines on standard output. Log shapes and ids, never values from a person or a tool. */
export const log = pino(logOptions);
