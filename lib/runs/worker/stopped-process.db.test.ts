import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { LEASE_MS } from "@/lib/limits";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { startRecordingServer } from "@/lib/testing/recording-server";
import {
  ASKED_TOOL,
  countCalls,
  FREE_TOOL,
  seeToTheEnd,
  startTwoCalls,
  twoCallsProject,
} from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";

const database = useDatabase();
let fleet: Fleet;
afterEach(() => fleet.close());

test(
  verifies(
    "engine:stopped-process",
    "a worker suspended before it records a result: another one continues after the lease, and the late write is refused",
  ),
  async () => {
    const server = await startRecordingServer({});
    fleet = await openFleet(database, twoCallsProject(server.url));
    const { deps, pauses } = fleet;
    const person = await fleet.person("Rea");
    const sleeper = await fleet.startWorker();
    const hold = pauses.holdAt("dispatch-call:before-result-commit", { pid: sleeper.pid });
    const { runId } = await startTwoCalls(deps, "stopped");
    await hold.reached();
    process.kill(sleeper.pid, "SIGSTOP");

    await fleet.startWorker();
    const end = await seeToTheEnd(deps, server, person, runId);
    expect(end).toMatchObject({ status: "complete", output: { free: "succeeded", asked: "succeeded" } });
    const rows = async () => ({
      run: await database.db.run.findUniqueOrThrow({
        where: { id: runId },
        include: { steps: true, calls: true, turns: true },
      }),
      journal: await database.db.journal.findMany({ where: { runId }, orderBy: { seq: "asc" } }),
    });
    const before = await rows();

    // It was held before the commit; the next point that it passes is after it, with the database's answer in between.
    const passed = pauses.holdAt("write-run:after-commit", { pid: sleeper.pid, subject: runId });
    process.kill(sleeper.pid, "SIGCONT");
    hold.release();
    await passed.reached();
    expect(await rows()).toEqual(before);
    passed.release();

    // It lives, and claims other runs as before.
    const { runId: next } = await startTwoCalls(deps, "next");
    const claimed = await until(() => database.db.run.findUniqueOrThrow({ where: { id: next } }), {
      what: "next run claimed",
      isDone: (run) => run.epoch > 0,
    });
    expect(claimed.epoch).toBe(1);
    expect((await seeToTheEnd(deps, server, person, next)).status).toBe("complete");
    for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, "stopped")).toBe(1);
    expect(await verifyAudit(deps)).toMatchObject({ ok: true });
    await server.close();
  },
);

test(
  verifies(
    "engine:stopped-process",
    "a worker suspended right before it sends a call: when it wakes after its lease, it does not send",
  ),
  async () => {
    const server = await startRecordingServer({});
    fleet = await openFleet(database, twoCallsProject(server.url));
    const { deps, pauses } = fleet;
    const person = await fleet.person("Rea");
    const sleeper = await fleet.startWorker();
    const hold = pauses.holdAt("dispatch-call:before-call", { pid: sleeper.pid });
    const { runId } = await startTwoCalls(deps, "about-to-send");
    await hold.reached();
    process.kill(sleeper.pid, "SIGSTOP");

    await fleet.startWorker();
    // The person sees at the server that nothing has arrived, says so, and the other worker makes the call.
    expect((await seeToTheEnd(deps, server, person, runId)).status).toBe("complete");
    const passed = pauses.holdAt("dispatch-call:after-call", { pid: sleeper.pid });
    process.kill(sleeper.pid, "SIGCONT");
    hold.release();
    await passed.reached();
    for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, "about-to-send")).toBe(1);
    passed.release();
    await server.close();
  },
);

test(
  verifies(
    "engine:stopped-process",
    "a worker that is considered dead but lives: nobody is asked what became of its call while it may still send it",
  ),
  async () => {
    const server = await startRecordingServer({});
    fleet = await openFleet(database, twoCallsProject(server.url));
    const { deps, pauses } = fleet;
    const person = await fleet.person("Rea");
    const silent = await fleet.startWorker();
    const hold = pauses.holdAt("dispatch-call:before-call", { pid: silent.pid });
    const { runId } = await startTwoCalls(deps, "thought-dead");
    await hold.reached();
    // It neither notices that its lock is gone nor takes it again.
    process.kill(silent.pid, "SIGSTOP");
    await database.db
      .$queryRaw`SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l USING (pid) WHERE l.locktype = 'advisory' AND a.datname = current_database()`;
    await fleet.startWorker();
    await until(() => database.db.run.findUniqueOrThrow({ where: { id: runId } }), {
      what: "the run taken over",
      isDone: (run) => run.epoch === 2,
    });

    process.kill(silent.pid, "SIGCONT");
    hold.release();
    const end = await seeToTheEnd(deps, server, person, runId, "at once");
    expect(end).toMatchObject({ status: "complete", output: { free: "succeeded", asked: "succeeded" } });
    for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, "thought-dead")).toBe(1);
    const at = async (type: string) =>
      (
        await database.db.event.findFirstOrThrow({ where: { chainId: runId, type }, orderBy: { seq: "asc" } })
      ).at.getTime();
    expect(await at("call.outcome_unknown")).toBeGreaterThanOrEqual((await at("run.taken_over")) + LEASE_MS);
    await server.close();
  },
);
