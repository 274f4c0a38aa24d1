/**
 * Spans around work. With tracing off, which is the default, the work is simply done. Attributes are names, ids and
 * figures, never values.
 */
import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  type Link,
  type Span,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import { KimitsuError } from "@/lib/errors";

interface Tracing {
  /** The ids that the next span gets; only for the span that represents a run. */
  nextIds: SpanContext | null;
}

// Next bundles route handlers apart from instrumentation; only the global object is shared.
const kept = globalThis as typeof globalThis & { __kimitsuTracing?: Tracing };

/** Null with tracing off. */
export const tracing = (): Tracing | null => kept.__kimitsuTracing ?? null;

export function switchTracing(isOn: boolean): void {
  if (isOn) kept.__kimitsuTracing = { nextIds: null };
  else delete kept.__kimitsuTracing;
}

const NO_SPAN = trace.wrapSpanContext(INVALID_SPAN_CONTEXT);
const tracer = () => trace.getTracer("kimitsu");

export interface SpanFacts {
  name: string;
  kind?: SpanKind;
  attributes?: Attributes;
  /** Now, if absent. */
  startTime?: Date;
  links?: Link[];
  /** The parent of the span; the active one, if absent. */
  parent?: Context;
}

/** Errors are rethrown, and mark the span by their kind alone: a message may contain what others said. */
export async function withSpan<T>(facts: SpanFacts, work: (span: Span) => Promise<T>): Promise<T> {
  if (!tracing()) return work(NO_SPAN);
  const { name, parent = context.active(), ...options } = facts;
  const span = tracer().startSpan(name, options, parent);
  try {
    return await context.with(trace.setSpan(parent, span), work, undefined, span);
  } catch (error) {
    markFailed(span, error instanceof KimitsuError ? error.code : error instanceof Error ? error.name : "error");
    throw error;
  } finally {
    span.end();
  }
}

/** A span of something that has already ended. `ids` are given to the span that represents a run, and to no other. */
export function addSpan(facts: SpanFacts & { endTime?: Date; ids?: SpanContext }): void {
  const state = tracing();
  if (!state) return;
  const { name, parent = context.active(), endTime, ids = null, ...options } = facts;
  state.nextIds = ids;
  const span = tracer().startSpan(name, { ...options, root: ids !== null }, parent);
  state.nextIds = null;
  span.end(endTime);
}

export function markFailed(span: Span, type: string): void {
  span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR });
}

/** From a span of another trace to the span of the request, or whatever else is active. */
export function linksToActive(): Link[] {
  const active = trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? [{ context: active }] : [];
}

/** For log lines: the ids of the active trace and span. */
export function activeTraceIds(): { trace_id: string; span_id: string } | Record<string, never> {
  const active = tracing() && trace.getActiveSpan()?.spanContext();
  return active && isSpanContextValid(active) ? { trace_id: active.traceId, span_id: active.spanId } : {};
}

/** In W3C form, for a server that continues the trace; empty with tracing off. */
export function traceParent(): { traceparent: string } | Record<string, never> {
  const ids = activeTraceIds();
  return "trace_id" in ids ? { traceparent: `00-${ids.trace_id}-${ids.span_id}-01` } : {};
}
