import { expect, test } from "vitest";
import { type BodyKind, createBodyGuard, LimitExceeded } from "./limit-body";

const limits = { bytesMax: 1_000, nestingMax: 5, eventsPerMinuteMax: 3 };

/** In chunks of one byte and as a whole: where a chunk ends must not matter. */
function read(kind: BodyKind, text: string, now: () => number = () => 0): string {
  const outcomes = [1, text.length].map((size) => {
    const guard = createBodyGuard(limits, kind, now);
    try {
      const bytes = Buffer.from(text);
      for (let start = 0; start < bytes.length; start += size) guard.read(bytes.subarray(start, start + size));
      return guard.isResumable ? "resumable" : "fine";
    } catch (error) {
      if (!(error instanceof LimitExceeded)) throw error;
      return error.message;
    }
  });
  expect(new Set(outcomes).size).toBe(1);
  return outcomes[0]!;
}

test.each<[BodyKind, string, string]>([
  ["json", "[".repeat(5) + "]".repeat(5), "fine"],
  ["json", "[".repeat(6), "nested more than 5 deep"],
  ["json", '{"a":'.repeat(6), "nested more than 5 deep"],
  ["json", '"[[[[[[[["', "fine"],
  ["json", '"\\"[[[[[[[["', "fine"],
  ["json", '"\\\\"[[[[[[', "nested more than 5 deep"],
  ["json", "[]".repeat(20), "fine"],
  ["json", "]]]]]][[[[[", "fine"],
  ["json", "x".repeat(1_001), "larger than 1000 bytes"],
  ["json", `${"x".repeat(600)}\n\n${"x".repeat(600)}`, "larger than 1000 bytes"],
  ["events", `data: ${"x".repeat(600)}\n\ndata: ${"x".repeat(600)}\n\n`, "fine"],
  ["events", `data: ${"x".repeat(600)}\ndata: ${"x".repeat(600)}\n\n`, "larger than 1000 bytes"],
  ["events", "data: [[[\n\ndata: [[[\n\n", "fine"],
  ["events", "data: [[[\r\ndata: [[[\r\n\r\n", "nested more than 5 deep"],
  ["events", ': a "quote\ndata: [[[[[[\n\n', "nested more than 5 deep"],
  ["events", "id: 1\ndata: x\n\n", "resumable"],
  ["events", "data: id: 1\n\n", "fine"],
  ["events", ":\n\n".repeat(4), "more than 3 events within a minute"],
])("%s %j is %s", (kind, text, expected) => {
  expect(read(kind, text)).toBe(expected);
});

test("events are counted per minute, so that a quiet stream may last for days", () => {
  let at = 0;
  expect(read("events", ":\n\n".repeat(20), () => (at += 21_000))).toBe("fine");
});
