/**
 * However many runs are leased and calls wait: a statement that changes one run finds its rows by key, even by a plan
 * made while there were none.
 */
import { expect, test } from "vitest";
import { connect } from "@/lib/database/client";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { HANG_MS } from "@/lib/testing/hang";
import { until } from "@/lib/testing/until";

const database = useDatabase();
const SCRIPT =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { n: 1 } }, { tool: t-none, arguments: { n: 2 } }]\n    otherwise: { output: { done: true } }\n";

function connectAs(name: string) {
  const url = new URL(database.url);
  url.searchParams.set("application_name", name);
  return connect(url.toString(), 4, { waitMs: HANG_MS });
}

test("changing a run scans neither the leases nor the calls of others", async () => {
  const bench = await openEngineBench(database, {
    allowlist: "- name: t-none\n  require_approval: { on_reject: recover }",
    script: SCRIPT,
  });
  const measured = connectAs("measured");
  bench.deps.db = measured;
  const by = await bench.person();
  const runId = await bench.launch();
  const asked = await database.db.approval.findMany({ where: { runId } });
  for (const [place, { id, questionDigest }] of asked.entries())
    await bench.decide({ id, digest: questionDigest } as never, place === 0 ? "rejected" : "approved", { by });
  await bench.advance(runId);
  expect(await database.db.run.findUniqueOrThrow({ where: { id: runId }, select: { status: true } })).toEqual({
    status: "complete",
  });
  // A connection's statistics are certain to be visible only after it is closed.
  await measured.$disconnect();
  const left = () =>
    database.db.$queryRaw<
      unknown[]
    >`SELECT pid FROM pg_stat_activity WHERE application_name = 'measured' AND datname = current_database()`;
  await until(left, { what: "its connections are gone", isDone: (rows) => rows.length === 0 });
  const used = await database.db.$queryRaw<
    { name: string }[]
  >`SELECT indexrelname AS name FROM pg_stat_user_indexes WHERE idx_scan > 0 AND relname IN ('runs', 'approvals') ORDER BY 1`;
  expect(used.map(({ name }) => name)).toContain("runs_pkey");
  expect(used.filter(({ name }) => /^(runs_leased|approvals_(pending|one|escalating|same))/.test(name))).toEqual([]);
});
