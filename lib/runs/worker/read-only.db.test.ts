import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { type PrivatePostgres, startPrivatePostgres } from "@/lib/testing/private-postgres";
import { ReadOnlyBench } from "@/lib/testing/read-only-bench";
import { endedWell } from "@/lib/testing/standing-runs";

/** From an instant to longer than a lease. */
const READ_ONLY_MS = [1, 30, 500, 5_000];

let postgres: PrivatePostgres;
let bench: ReadOnlyBench;
beforeAll(async () => {
  postgres = await startPrivatePostgres();
  bench = await ReadOnlyBench.open(postgres, 2);
});
afterAll(async () => {
  await bench?.close();
  await postgres?.remove();
});

describe(verifies("engine:read-only", "the database is read-only while a run is held at every point it passes"), () => {
  const rounds = READ_ONLY_MS.flatMap(
    (ms) =>
      [
        ["before", ms],
        ["after", ms],
      ] as const,
  );
  test.each(rounds)(
    "%s the decision, for %i ms: every run ends with each call sent once and on record",
    async (phase, ms) => {
      const ends = await bench.round(phase, ms);
      expect(ends).toEqual(endedWell(ends));
    },
  );

  test.each([1, 2, 3])(
    "until recording the answer of a call was tried %i times: it is recorded once, before anything that follows it",
    async (tries) => {
      const end = await bench.refuseTries(tries);
      expect([end]).toEqual(endedWell([end]));
    },
  );

  test("and the trail of all of it verifies", async () => {
    expect(await verifyAudit(bench.fleet.deps)).toMatchObject({ ok: true });
  });
});
