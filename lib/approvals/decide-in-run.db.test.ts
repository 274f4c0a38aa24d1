/** A decision that names a run: found in one read where one question waits, and never by a row that was changed. */
import { expect, test } from "vitest";
import { decideInRun } from "@/lib/approvals/decide-in-run";
import { KimitsuError } from "@/lib/errors";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();

const call = (amount: number) => `{ tool: t-none, arguments: { amount: ${amount} } }`;

async function ask(amounts: number[]) {
  const bench = await openEngineBench(database, {
    script: `agents:\n  worker:\n    turns:\n      - call: [${amounts.map(call).join(", ")}]\n    otherwise: { output: {} }\n`,
    allowlist: "- name: t-none\n  require_approval: { reason: big }",
  });
  const runId = await bench.launch();
  const decide = async (callId?: string) =>
    decideInRun(bench.deps, await bench.person("admin"), { target: { runId, callId }, verdict: "approved" });
  return { bench, runId, decide, pending: await bench.pending(runId) };
}

test("the only question of a run is decided by the run's id, and once", async () => {
  const { decide, pending } = await ask([1]);
  expect(await decide()).toMatchObject({ id: pending[0]!.id, status: "approved" });
  await expect(decide()).rejects.toThrow(/approved/);
});

test("of several questions the call must be named, also after all but one are over", async () => {
  const { decide, pending } = await ask([1, 2]);
  await expect(decide()).rejects.toThrow("2 calls of run");
  const [first, second] = pending;
  expect(await decide(second!.callId)).toMatchObject({ id: second!.id });
  await expect(decide(second!.callId)).rejects.toThrow(/approved/);
  expect(await decide()).toMatchObject({ id: first!.id });
});

test("a question whose row was taken out of the inbox by hand still counts as one that waits", async () => {
  const { decide, pending } = await ask([1, 2]);
  await database.db
    .$executeRaw`UPDATE approvals SET status = 'expired', decided_at = now() WHERE id = ${pending[0]!.id}`;
  await expect(decide()).rejects.toThrow("2 calls of run");
});

test("a run that is not there, or asks nothing, is said", async () => {
  const { bench } = await ask([1]);
  const by = await bench.person("admin");
  const refused = decideInRun(bench.deps, by, { target: { runId: "run_none" }, verdict: "approved" });
  await expect(refused).rejects.toThrow(KimitsuError);
  await expect(refused).rejects.toThrow("There is no run run_none.");
});
