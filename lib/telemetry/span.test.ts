import { afterAll, beforeAll, expect, test } from "vitest";
import { KimitsuError } from "@/lib/errors";
import { startTraceCollector, type TraceCollector } from "@/lib/testing/trace-collector";
import { openTracing } from "./open-tracing";
import { activeTraceIds, addSpan, switchTracing, traceParent, withSpan } from "./span";

let collector: TraceCollector;
let close: () => Promise<void>;
beforeAll(async () => {
  collector = await startTraceCollector();
  ({ close } = openTracing({ endpoint: collector.endpoint, serviceName: "kimitsu" }));
});
afterAll(async () => {
  switchTracing(false);
  await collector.close();
});

test("with tracing off the work is done, and neither log lines nor servers get a trace id", async () => {
  expect(
    await withSpan({ name: "off" }, async (span) => [span.isRecording(), activeTraceIds(), traceParent()]),
  ).toEqual([false, {}, {}]);
  addSpan({ name: "off" });
});

test("with tracing on log lines and servers get the ids of the span, and a failure is marked by its kind without its message", async () => {
  switchTracing(true);
  const told = await withSpan({ name: "on" }, async () => ({ ...activeTraceIds(), ...traceParent() }));
  await expect(
    withSpan({ name: "refused" }, async () => Promise.reject(new KimitsuError("conflict", "sentinel-words"))),
  ).rejects.toThrow("sentinel-words");
  await expect(
    withSpan({ name: "broken" }, async () => Promise.reject(new TypeError("sentinel-words"))),
  ).rejects.toThrow("sentinel-words");
  switchTracing(false);
  await close();
  const [on, refused, broken, ...others] = collector.spans();
  expect(others).toEqual([]);
  expect(told).toEqual({
    trace_id: on!.traceId,
    span_id: on!.spanId,
    traceparent: `00-${on!.traceId}-${on!.spanId}-01`,
  });
  expect([refused!.attributes["error.type"], broken!.attributes["error.type"]]).toEqual(["conflict", "TypeError"]);
  expect(collector.text()).not.toContain("sentinel-words");
});
