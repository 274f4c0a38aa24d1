/**
 * The trace of a run is found from its id: a ULID has the 128 bits of a trace id. So every process, now or later,
 * writes to the same trace, and nothing has to be stored for it.
 */
import { type Context, ROOT_CONTEXT, type SpanContext, trace, TraceFlags } from "@opentelemetry/api";

const DIGITS = "0123456789abcdefghjkmnpqrstvwxyz";

/** The context of the span that represents the whole run; all others of the run are below it. */
export function runSpanContext(runId: string): SpanContext {
  const ulid = runId.slice(runId.indexOf("_") + 1);
  let bits = 0n;
  for (const digit of ulid) bits = bits * 32n + BigInt(DIGITS.indexOf(digit));
  const traceId = bits.toString(16).padStart(32, "0");
  return { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED, isRemote: true };
}

export function runTrace(runId: string): Context {
  return trace.setSpanContext(ROOT_CONTEXT, runSpanContext(runId));
}
