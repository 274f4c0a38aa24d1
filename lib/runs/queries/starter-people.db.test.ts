import { expect, test } from "vitest";
import { findCard } from "@/lib/approvals/queries/find-card";
import { findRunPage } from "@/lib/runs/queries/get-run-page";
import { listHistory } from "@/lib/runs/queries/list-history";
import { startRun } from "@/lib/runs/start-run";
import { listInbox } from "@/lib/approvals/queries/list-inbox";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test("a run that a token started names the person behind it, everywhere it is shown", async () => {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: "- name: t-none\n  require_approval: { reason: big }",
  });
  const { db } = database;
  const jonas = await buildUser(bench.deps, "operator", { name: "Jonas Weber" });
  const actor = { kind: "token", id: "tok_1", name: "runs", userId: jonas.id } as const;
  const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor });
  await bench.advance(runId);
  const [approval] = await bench.pending(runId);
  const reader = { userId: "usr_reader", role: "reviewer" as const, groups: [] };
  const now = bench.clock.now();
  const words = "Jonas Weber, by token runs";
  expect((await listInbox(db, reader, { sort: "age" })).items[0]?.startedBy).toBe(words);
  const card = await findCard(db, approval!.id, { reader, now });
  expect(card?.startedBy).toBe(words);
  expect(card?.run.startedBy).toBe(words);
  expect((await listHistory(db, { now })).items[0]?.startedBy).toEqual({
    kind: "token",
    name: "runs",
    person: "Jonas Weber",
  });
  expect((await findRunPage(db, runId, now))?.startedBy).toMatchObject({
    kind: "token",
    name: "runs",
    person: "Jonas Weber",
  });
});
