import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { KillBench, MOMENTS, PERHAPS_UNRECORDED, UNRECORDED } from "@/lib/testing/kill-points";

const database = useDatabase();
/** One has the run, one is on standby, and one is being started to replace the last one killed. */
const WORKERS = 3;

let bench: KillBench;
beforeAll(async () => void (bench = await KillBench.open(database, WORKERS)));
afterAll(() => bench?.close());

test("the moments listed are all that the run passes", async () => {
  const passed = await bench.passUndisturbed("undisturbed");
  expect(new Set(passed)).toEqual(new Set(MOMENTS.map(([, point]) => point)));
  // Twice: before and after the decision. Several workers try to claim, and deferred writes may be one commit or two.
  const twice = MOMENTS.filter(
    ([phase, point]) => phase === "before" && MOMENTS.some((other) => other[0] === "after" && other[1] === point),
  );
  for (const [, point] of twice)
    expect(passed.filter((each) => each === point).length, point).toBeGreaterThanOrEqual(2);
});

describe(verifies("promise:3", verifies("promise:5", "the worker is killed with SIGKILL")), () => {
  test.each(MOMENTS)(
    "%s the decision at %s: the run completes on another, each call sent once, each recorded turn requested once",
    async (phase, point) => {
      const tag = `${phase}-${point}`;
      expect(await bench.killAt([phase, point], tag)).toEqual({
        status: "complete",
        output: { tag, free: "succeeded", asked: "succeeded" },
        sentFree: 1,
        sentAsked: 1,
        turnsRecorded: 2,
        turnsAsked: PERHAPS_UNRECORDED.includes(point) ? expect.toBeOneOf([2, 3]) : UNRECORDED.includes(point) ? 3 : 2,
      });
    },
  );

  test("and the trail of all of it verifies", async () => {
    expect(await verifyAudit(bench.fleet.deps)).toMatchObject({ ok: true });
  });
});
