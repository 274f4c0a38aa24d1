import { trace } from "@opentelemetry/api";
import { tracing } from "./span";

/** Next.js makes the span of a request; this adds its operation and the id that the caller sees. */
export function recordOperation(operation: string, requestId: string): void {
  if (tracing())
    trace.getActiveSpan()?.setAttributes({ "kimitsu.operation": operation, "kimitsu.request.id": requestId });
}
