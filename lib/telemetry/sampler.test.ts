import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from "@opentelemetry/api";
import { SamplingDecision } from "@opentelemetry/sdk-trace";
import { expect, test } from "vitest";
import { sampler } from "./sampler";

const TRACE = "1".repeat(32);
const below = (facts: { isRemote: boolean; traceFlags: TraceFlags }) =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE, spanId: "2".repeat(16), ...facts });
const isTaken = (parent: typeof ROOT_CONTEXT, target?: string) =>
  sampler.shouldSample(parent, TRACE, "GET", SpanKind.SERVER, target === undefined ? {} : { "http.target": target }, [])
    .decision === SamplingDecision.RECORD_AND_SAMPLED;

test.each(["/healthz", "/readyz", "/metrics", "/metrics?x=1", "/_next/static/chunk.js"])(
  "%s leaves no trace, and neither does what is below it",
  (target) => {
    expect(isTaken(ROOT_CONTEXT, target)).toBe(false);
    expect(isTaken(below({ isRemote: false, traceFlags: TraceFlags.NONE }))).toBe(false);
  },
);

test("what Next.js preloads leaves none; what it loads for a request does", () => {
  const load = (parent: typeof ROOT_CONTEXT) =>
    sampler.shouldSample(parent, TRACE, "load route module", SpanKind.INTERNAL, {}, []).decision;
  expect(load(ROOT_CONTEXT)).toBe(SamplingDecision.NOT_RECORD);
  expect(load(below({ isRemote: false, traceFlags: TraceFlags.SAMPLED }))).toBe(SamplingDecision.RECORD_AND_SAMPLED);
});

test.each(["/runs", "/inbox", "/metrics-of-mine", "/"])("%s does, whatever the caller's flag says", (target) => {
  expect(isTaken(ROOT_CONTEXT, target)).toBe(true);
  expect(isTaken(below({ isRemote: true, traceFlags: TraceFlags.NONE }), target)).toBe(true);
  expect(isTaken(below({ isRemote: false, traceFlags: TraceFlags.SAMPLED }))).toBe(true);
});
