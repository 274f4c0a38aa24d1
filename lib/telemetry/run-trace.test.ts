import { expect, test } from "vitest";
import { createId } from "@/lib/ids";
import { runSpanContext } from "./run-trace";

test("the trace of a run has the bits of its id, so that it sorts by time and every process finds the same one", () => {
  expect(runSpanContext("run_00000000000000000000000001").traceId).toBe("00000000000000000000000000000001");
  expect(runSpanContext("run_7zzzzzzzzzzzzzzzzzzzzzzzzz").traceId).toBe("f".repeat(32));
  const ids = Array.from({ length: 1000 }, () => createId("run"));
  const contexts = ids.map(runSpanContext);
  expect(new Set(contexts.map(({ traceId }) => traceId)).size).toBe(ids.length);
  expect(contexts.map(({ traceId }) => traceId)).toEqual(contexts.map(({ traceId }) => traceId).toSorted());
  for (const { traceId, spanId } of contexts)
    expect([/^[0-9a-f]{32}$/.test(traceId), /^[0-9a-f]{16}$/.test(spanId)]).toEqual([true, true]);
});
