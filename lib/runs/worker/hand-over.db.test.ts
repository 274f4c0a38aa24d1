import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { LEASE_MS } from "@/lib/limits";
import { createId } from "@/lib/ids";
import { openWakeChannel } from "@/lib/database/wake-channel";
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
let fleet: Fleet | undefined;
afterEach(() => fleet?.close());

test(
  verifies(
    "engine:hand-over",
    "a worker that has to end keeps its leases until its calls are answered, records the answers, and another one continues at once",
  ),
  async () => {
    const server = await startRecordingServer({});
    await server.hold(FREE_TOOL);
    const { deps, ...own } = (fleet = await openFleet(database, twoCallsProject(server.url)));
    const person = await own.person("Rea");
    const leaving = await own.startWorker();
    const tags = ["one", "two", "three"];
    const runs = await Promise.all(tags.map((tag) => startTwoCalls(deps, tag)));
    await server.waitForCalls(FREE_TOOL, tags.length);
    await own.startWorker();
    const called: string[] = [];
    const channel = openWakeChannel(database.url, createId("worker"), (runId) => void called.push(runId));
    await channel.opened;

    const toldAt = Date.now();
    process.kill(leaving.pid, "SIGTERM");
    // Renewed after the stop signal: otherwise the other one would take the runs, and the answers would be lost.
    await until(() => database.db.run.findMany({ where: { leaseOwner: leaving.ownerId } }), {
      what: "leases kept after the signal",
      isDone: (held) =>
        held.length === tags.length && held.every((run) => run.leaseUntil!.getTime() > toldAt + LEASE_MS + 1_000),
    });
    await server.release(FREE_TOOL);
    expect(await leaving.ended).toEqual({ code: 0, signal: null });
    // Nobody has to find the runs by polling: a notification was sent for each.
    await until(async () => called, {
      what: "the other processes are called",
      isDone: (heard) => runs.every(({ runId }) => heard.includes(runId)),
    });
    await channel.close();

    for (const [index, { runId }] of runs.entries()) {
      expect((await seeToTheEnd(deps, server, person, runId)).status).toBe("complete");
      for (const tool of [FREE_TOOL, ASKED_TOOL]) expect(await countCalls(server, tool, tags[index]!)).toBe(1);
      const events = await database.db.event.findMany({
        where: { chainId: runId },
        orderBy: [{ seq: "asc" }, { place: "asc" }],
        select: { type: true },
      });
      const handed = events.findIndex(({ type }) => type === "run.handed_over");
      expect(events.map(({ type }) => type)).not.toContain("call.outcome_unknown");
      expect(events.slice(handed).map(({ type }) => type)).toContain("run.resumed");
    }
    expect(await database.db.worker.count({ where: { id: leaving.ownerId } })).toBe(0);
    await server.close();
  },
);

test(
  verifies(
    "engine:hand-over",
    "a call that does not end does not keep a process from ending; the run then waits for a person elsewhere",
  ),
  async () => {
    const server = await startRecordingServer({});
    await server.hold(FREE_TOOL);
    const { deps, ...own } = (fleet = await openFleet(database, twoCallsProject(server.url)));
    const leaving = await own.startWorker();
    const { runId } = await startTwoCalls(deps, "endless");
    await until(() => database.db.run.findUniqueOrThrow({ where: { id: runId } }), {
      what: "claimed",
      isDone: (run) => run.leaseOwner === leaving.ownerId,
    });
    await server.waitForCalls(FREE_TOOL, 1);
    process.kill(leaving.pid, "SIGTERM");
    expect((await leaving.ended).signal).toBeNull();
    await own.startWorker();
    await until(() => database.db.run.findUniqueOrThrow({ where: { id: runId }, include: { calls: true } }), {
      what: "unknown",
      isDone: (run) => run.calls.some((call) => call.status === "outcome_unknown"),
    });
    await server.close();
  },
);
