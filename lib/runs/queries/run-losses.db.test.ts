import { expect, test } from "vitest";
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { listHistory } from "@/lib/runs/queries/list-history";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test("a run that gave up part of its work is distinguished from one that did all of it, with what was rejected", async () => {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: "- name: t-none\n  require_approval: { reason: big, on_reject: degrade }",
  });
  const ends = [];
  for (const verdict of ["approved", "rejected"] as const) {
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    await bench.decide(approval!, verdict);
    await bench.advance(runId);
    const [listed] = (await listHistory(database.db, { now: bench.clock.now() })).items;
    const page = await findRunPage(database.db, runId, bench.clock.now());
    ends.push([listed?.status, listed?.degraded, listed?.refused, page?.degraded]);
  }
  expect(ends).toEqual([
    ["complete", false, { rejected: 0, expired: 0 }, false],
    ["complete", true, { rejected: 1, expired: 0 }, true],
  ]);
});
