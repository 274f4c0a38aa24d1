import pino from "pino";
import { env } from "@/lib/env";
import { activeTraceIds } from "@/lib/telemetry/span";

/** Structured lines on standard output. Log shapes and ids, never values that a person or a tool gave. */
export const log = pino({
  level: env.LOG_LEVEL,
  base: undefined,
  mixin: activeTraceIds,
  timestamp: pino.stdTimeFunctions.isoTime,
  redact: {
    paths: ["*.password", "*.token", "*.secret", "*.authorization", "*.cookie", "password", "token", "secret", "authorization", "cookie"],
    censor: "[secret]",
  },
});
