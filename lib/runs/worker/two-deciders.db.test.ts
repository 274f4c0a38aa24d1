import { afterAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { startRun } from "@/lib/runs/start-run";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
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

/** Each run makes all its calls in one turn; the arguments tell them apart. */
const SCRIPT = `agents:
  worker:
    turns:
      - call: [${Array.from({ length: CALLS_PER_RUN }, (_, index) => `{ tool: t-none, arguments: { index: ${index} } }`).join(", ")}]
      - output: { done: true }
`;

test(
  verifies(
    "engine:one-decision",
    `${CONTESTS} times two people send two web processes a decision at the same instant: one gets 200, the other 409 with the winner's name, and the call is sent once or never`,
  ),
  async () => {
    const server = await startRecordingServer({});
    fleet = await openFleet(
      database,
      oneAgentProject({
        url: server.url,
        allowlist: "- name: t-none\n  require_approval: { on_reject: recover }",
        script: SCRIPT,
      }),
    );
    await fleet.startWorker();
    for (let run = 0; run < RUNS; run++)
      await startRun(fleet.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    const approvals = await until(
      () => database.db.approval.findMany({ where: { status: "pending" }, orderBy: { id: "asc" } }),
      { what: "all calls wait", isDone: (rows) => rows.length === CONTESTS },
    );
    const ids = approvals.map(({ id }) => id);

    const people = await Promise.all(
      ["Ana", "Ben"].map(async (name) => ({
        name,
        wins: 0,
        token: await fleet.tokenOf(await fleet.person(name)),
        web: await fleet.startWeb({ runs: 4 }),
      })),
    );
    for (const [index, id] of ids.entries()) {
      // Both have read the approval and are about to write; then both are released.
      const barrier = fleet.pauses.holdAt("decide-approval:before-commit", { subject: id });
      const decisions = ["approve", index % 2 === 0 ? "approve" : "reject"];
      // The first to arrive is released first, so they alternate.
      people.reverse();
      const asking = Promise.all(
        people.map(({ web, token }, who) => web.post(`/approvals/${id}/decide`, token, { decision: decisions[who] })),
      );
      await barrier.reachedBy(2);
      barrier.release();
      const answers = await asking;
      expect(answers.map(({ status }) => status).sort(), id).toEqual([200, 409]);
      const winner = people[answers.findIndex(({ status }) => status === 200)]!;
      winner.wins += 1;
      expect(answers.find(({ status }) => status === 409)?.body.error?.message).toMatch(
        new RegExp(`was already (approved|rejected) by ${winner.name} at `),
      );
    }
    await until(() => database.db.run.count({ where: { status: "complete" } }), {
      what: "all runs end",
      isDone: (count) => count === RUNS,
    });
    expect(await database.db.decision.count()).toBe(CONTESTS);
    const approved = await database.db.approval.findMany({ where: { status: "approved" }, select: { callId: true } });
    const sent = (await server.calls("t-none")).map(
      (call) => (call.meta as Record<string, string>)["dev.kimitsu/call_id"],
    );
    expect(sent.toSorted()).toEqual(approved.map(({ callId }) => callId).toSorted());
    for (const { name, wins } of people) expect(wins, `${name} wins some`).toBeGreaterThan(0);
    expect(await verifyAudit(fleet.deps)).toMatchObject({ ok: true });
    await server.close();
  },
);
