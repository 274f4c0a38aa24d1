import { expect, test } from "vitest";
import { REQUEST_BURST_S } from "@/lib/limits";
import { env } from "@/lib/env";
import { countRequest } from "./request-limits";

const rate = env.KIMITSU_REQUESTS_PER_SECOND;
const burst = rate * REQUEST_BURST_S;

function countTaken(caller: string, requests: number, nowMs: number): number {
  let taken = 0;
  for (let request = 0; request < requests; request++) {
    try {
      countRequest(caller, nowMs);
      taken += 1;
    } catch (error) {
      expect(error).toMatchObject({
        code: "rate_limited",
        retryAfterS: 1,
        message: expect.stringContaining(`${rate} requests per second`),
      });
    }
  }
  return taken;
}

test("a caller has a burst, then its rate, and saves up no more than a burst", () => {
  expect(countTaken("token:a", burst + 10, 0)).toBe(burst);
  expect(countTaken("token:a", burst, 1000)).toBe(rate);
  expect(countTaken("token:a", 2 * burst, 3_600_000)).toBe(burst);
});

test("each caller is counted separately", () => {
  countTaken("token:b", burst + 1, 0);
  expect(countTaken("token:c", 1, 0)).toBe(1);
});
