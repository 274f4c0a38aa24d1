import { expect, test } from "vitest";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { insertEvents } from "@/lib/store/event-sql";
import { listRunSpans } from "@/lib/store/queries/list-run-spans";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const CALL = "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5 } }]\n    otherwise: { output: {} }\n";

test("the time until a person settled what became of a call is theirs, not the tool's", async () => {
  const { db } = database;
  const bench = await openEngineBench(database, { script: CALL, allowlist: "- t-none" });
  const runId = await bench.launch();
  const call = await db.call.findFirstOrThrow({ where: { runId } });
  const sent = bench.clock.now();
  const after = (ms: number) => new Date(sent.getTime() + ms);
  await db.call.update({ where: { id: call.id }, data: { executingAt: sent, completedAt: after(211_000) } });
  const unknown = insertEvents([{ chainId: runId, type: "call.outcome_unknown", at: after(639), actor: SYSTEM_ACTOR, data: { call_id: call.id } }], "one");
  await db.$executeRaw`WITH one AS (SELECT 1) ${unknown}`;
  const spans = await listRunSpans(db, runId, { from: sent, to: after(300_000), max: 50 });
  expect(spans.filter(({ kind }) => kind !== "model").map(({ kind, workMs, status }) => [kind, workMs, status])).toEqual([
    ["tool", 639, "succeeded"],
    ["person", 210_361, "outcome_unknown"],
  ]);
});
