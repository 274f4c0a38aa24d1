import { expect, test } from "vitest";
import { chooseWaitMs, readRetryAfterMs } from "./backoff";
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, RETRY_AFTER_WAIT_MAX_MS } from "./limits";

const NOW = new Date("2026-01-01T00:00:00Z");

test("waits double, stay under the limit, and are half random", () => {
  const waits = (random: number) =>
    Array.from({ length: 12 }, (_, index) =>
      chooseWaitMs({ failures: index + 1, retryAfterMs: undefined, random: () => random }),
    );
  expect(waits(0).slice(0, 4)).toEqual([1, 2, 4, 8].map((times) => (BACKOFF_FIRST_MS * times) / 2));
  expect(Math.max(...(waits(0.999) as number[]))).toBeLessThanOrEqual(BACKOFF_MAX_MS);
  expect(waits(0.999)[0]).toBeGreaterThan(waits(0)[0]!);
});

test("the delay that a provider asks for is a lower bound, up to the longest wait that is worth it", () => {
  const wait = (retryAfterMs: number) => chooseWaitMs({ failures: 1, retryAfterMs, random: () => 0 });
  expect(wait(10)).toBe(BACKOFF_FIRST_MS / 2);
  expect(wait(RETRY_AFTER_WAIT_MAX_MS)).toBe(RETRY_AFTER_WAIT_MAX_MS);
  expect(wait(RETRY_AFTER_WAIT_MAX_MS + 1)).toBeNull();
});

test.each([
  [{ "retry-after": "2.5" }, 2_500],
  [{ "retry-after": "Wed, 31 Dec 2025 23:00:00 GMT" }, 0],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "1e9" }, undefined],
  [{ "retry-after": "2030" }, 2_030_000],
  [{}, undefined],
])("%j is %s ms", (headers, expected) => {
  expect(readRetryAfterMs(new Headers(headers as Record<string, string>), NOW)).toBe(expected);
});
