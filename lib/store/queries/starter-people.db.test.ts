import { expect, test } from "vitest";
import { findCard } from "@/lib/store/queries/find-card";
import { findRunPage } from "@/lib/store/queries/get-run-page";
import { listHistory } from "@/lib/store/queries/list-history";
import { listInbox } from "@/lib/store/queries/list-inbox";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const PAY = "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

test("a run that a token started names the person behind it, everywhere it is shown", async () => {
  const bench = await openEngineBench(database, { script: PAY, allowlist: "- name: t-none\n  require_approval: { reason: big }" });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  const { db } = database;
  const jonas = await buildUser(bench.deps, "operator", { name: "Jonas Weber" });
  await db.run.update({ where: { id: runId }, data: { startedByKind: "token", startedById: "tok_1", startedByName: "runs", startedByUserId: jonas.id } });
  const reader = { userId: "usr_reader", role: "reviewer" as const, groups: [] };
  const now = bench.clock.now();
  const words = "Jonas Weber, by token runs";
  expect((await listInbox(db, reader, { sort: "age" })).items[0]?.startedBy).toBe(words);
  const card = await findCard(db, approval!.id, reader, now);
  expect(card?.startedBy).toBe(words);
  expect(card?.run.startedBy).toBe(words);
  expect((await listHistory(db, { now })).items[0]?.startedBy).toEqual({ kind: "token", name: "runs", person: "Jonas Weber" });
  expect((await findRunPage(db, runId, now))?.startedBy).toMatchObject({ kind: "token", name: "runs", person: "Jonas Weber" });
});
