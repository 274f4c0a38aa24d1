import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/engine/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { KillBench, MOMENTS, UNRECORDED } from "@/lib/testing/kill-points";

const database = useDatabase();
/** One has the run, one stands by, and one is being started for the one that was killed last. */
const WORKERS = 3;

let bench: KillBench;
beforeAll(async () => void (bench = await KillBench.open(database, WORKERS)), 90_000);
afterAll(() => bench?.close(), 90_000);

test("the moments listed are all that the run passes, in their order", async () => {
  const passed = await bench.passUndisturbed("undisturbed");
  // Several workers try to claim; the rest is done by the one that has the run.
  const isClaim = (point: string) => point.startsWith("claim-run");
  // A start that its first turn is too slow for is written by itself; so are the end of the first step and the start of the second.
  const isStep = (point: string) => point.startsWith("settle-step");
  const isOther = (point: string) => !isClaim(point) && !isStep(point);
  expect(passed.filter(isOther)).toEqual(MOMENTS.map(([, point]) => point).filter(isOther));
  expect(passed.filter(isClaim).length).toBeGreaterThanOrEqual(4);
  expect(passed.filter(isStep).length).toBeGreaterThanOrEqual(4);
});

describe(verifies("promise:3", verifies("promise:5", "the worker is killed with SIGKILL")), () => {
  test.each(MOMENTS)("%s the decision at %s: the run ends right on another, each call sent once, each recorded turn asked for once", { timeout: 90_000 }, async (phase, point) => {
    const tag = `${phase}-${point}`;
    expect(await bench.killAt([phase, point], tag)).toEqual({
      status: "complete",
      output: { tag, free: "succeeded", asked: "succeeded" },
      sentFree: 1,
      sentAsked: 1,
      turnsRecorded: 2,
      turnsAsked: UNRECORDED.includes(point) ? 3 : 2,
    });
  });

  test("and the trail of all of it verifies", async () => {
    expect(await verifyAudit(bench.fleet.deps)).toMatchObject({ ok: true });
  });
});
