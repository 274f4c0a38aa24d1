import { afterAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { startRun } from "@/lib/engine/start-run";
import { verifyAudit } from "@/lib/engine/verify-audit";
import { startChildProgram } from "@/lib/testing/child-program";
import { useDatabase } from "@/lib/testing/database";
import type { Errand, ErrandOutcome } from "@/lib/testing/person-process";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { oneAgentProject, TEST_ACTOR } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";

const RUNS = 10;
const CALLS_PER_RUN = 20;
const CONTESTS = RUNS * CALLS_PER_RUN;

const database = useDatabase();
let fleet: Fleet;
afterAll(() => fleet?.close());

/** Each run asks for all its calls in one turn; the arguments say which is which. */
const SCRIPT = `agents:
  worker:
    turns:
      - call: [${Array.from({ length: CALLS_PER_RUN }, (_, index) => `{ tool: t-none, arguments: { index: ${index} } }`).join(", ")}]
      - output: { done: true }
`;

async function sendPerson(name: string, verdictOf: (index: number) => "approved" | "rejected", approvalIds: string[]) {
  const by = await fleet.person(name);
  const errand: Errand = { by, decisions: approvalIds.map((approvalId, index) => ({ approvalId, verdict: verdictOf(index) })) };
  const child = await startChildProgram("lib/testing/person-process.ts", { args: [JSON.stringify(errand)], env: fleet.env });
  return async () => {
    const outcomes: ErrandOutcome[] = [];
    while (outcomes.length < approvalIds.length) outcomes.push(JSON.parse(await child.nextLine()) as ErrandOutcome);
    await child.stop();
    return outcomes;
  };
}

test(verifies("engine:one-decision", `${CONTESTS} times two people decide at the same instant: one wins, the other gets 409 with the winner's name, and the call is sent once or never`), { timeout: 120_000 }, async () => {
  const server = await startRecordingServer({});
  fleet = await openFleet(database, oneAgentProject({ url: server.url, allowlist: "- name: t-none\n  require_approval: { on_reject: recover }", script: SCRIPT }));
  await fleet.startWorker();
  for (let run = 0; run < RUNS; run++) await startRun(fleet.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
  const approvals = await until(() => database.db.approval.findMany({ where: { status: "pending" }, orderBy: { id: "asc" } }), { what: "all calls wait", isDone: (rows) => rows.length === CONTESTS });
  const ids = approvals.map(({ id }) => id);

  // Both have read the approval and are about to write; then both are let go.
  const barriers = ids.map((subject) => fleet.pauses.holdAt("decide-approval:before-commit", { subject }));
  const ana = await sendPerson("Ana", () => "approved", ids);
  const ben = await sendPerson("Ben", (index) => (index % 2 === 0 ? "approved" : "rejected"), ids);
  for (const barrier of barriers) {
    await barrier.reachedBy(2, 30_000);
    barrier.release();
  }
  const [anas, bens] = await Promise.all([ana(), ben()]);

  for (const [index, id] of ids.entries()) {
    const [a, b] = [anas[index]!, bens[index]!];
    expect([a.status, b.status].sort(), id).toEqual([200, 409]);
    const [winner, loser] = a.status === 200 ? ["Ana", b] : ["Ben", a];
    expect(loser.message).toMatch(new RegExp(`was already (approved|rejected) by ${winner} at `));
  }
  await until(() => database.db.run.count({ where: { status: "complete" } }), { what: "all runs end", isDone: (count) => count === RUNS, timeoutMs: 60_000 });
  expect(await database.db.decision.count()).toBe(CONTESTS);
  const calls = await database.db.call.findMany({ select: { id: true, status: true, approvals: { select: { status: true } } } });
  const sent = (await server.calls("t-none")).map((call) => (call.meta as Record<string, string>)["dev.kimitsu/call_id"]);
  expect(sent.toSorted()).toEqual(calls.filter((call) => call.approvals[0]?.status === "approved").map(({ id }) => id).toSorted());
  expect(new Set(anas.map(({ status }) => status)).size, "both win some").toBe(2);
  expect(await verifyAudit(fleet.deps)).toMatchObject({ ok: true });
  await server.close();
});
