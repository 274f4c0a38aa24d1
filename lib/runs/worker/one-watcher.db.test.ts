import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { createId } from "@/lib/ids";
import { connect } from "@/lib/database/client";
import { WATCH_LOCK_CLASS } from "@/lib/runs/transitions/release-dead-owners";
import { openWakeChannel, type WakeChannel } from "@/lib/database/wake-channel";
import { useDatabase } from "@/lib/testing/database";
import { oneAgentProject, openRunBench } from "@/lib/testing/run-bench";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { FREE_TOOL, startTwoCalls, twoCallsProject } from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";
import { startRunLoop } from "@/lib/runs/worker/run-loop";
import { createTakeover } from "@/lib/runs/worker/takeover";

const database = useDatabase();
let fleet: Fleet | undefined;
const PROJECT = oneAgentProject({
  url: "http://127.0.0.1:1/mcp",
  allowlist: "- echo",
  script: "agents: { worker: { turns: [{ output: { done: true } }] } }\n",
});
const channels: WakeChannel[] = [];
afterEach(async () => {
  await fleet?.close();
  fleet = undefined;
  await Promise.all(channels.splice(0).map((channel) => channel.close()));
});

const triesOf = (pid: number) =>
  fleet!.pauses.trace().filter((passed) => passed.point === "watch-owners:before-try" && passed.pid === pid).length;
const whoLooks = () => [
  ...new Set(
    fleet!.pauses
      .trace()
      .filter(({ point }) => point === "watch-owners:before-look")
      .map(({ pid }) => pid),
  ),
];

/** Waits until each has tried to watch this many times more. */
async function untilAllTried(pids: readonly number[], times = 4): Promise<void> {
  const before = new Map(pids.map((pid) => [pid, triesOf(pid)]));
  await until(async () => pids.map((pid) => triesOf(pid) - before.get(pid)!), {
    what: "tries of all processes",
    isDone: (tries) => tries.every((count) => count >= times),
  });
}

async function openChannel(ownerId = createId("worker")): Promise<WakeChannel> {
  const channel = openWakeChannel(database.url, ownerId, () => undefined);
  channels.push(channel);
  await channel.opened;
  return channel;
}

const untilWatched = (channel: WakeChannel) => until(() => channel.watch(), { what: "the watch", isDone: Boolean });

test(
  verifies(
    "engine:one-watcher",
    "a watcher whose connection is cut stops watching, although it lives: another one watches",
  ),
  async () => {
    const [first, second] = [await openChannel(), await openChannel()];
    expect([await first.watch(), await second.watch(), await first.watch(), await second.watch()]).toEqual([
      true,
      false,
      true,
      false,
    ]);
    await database.db.$queryRaw`
    SELECT pg_terminate_backend(pid) FROM pg_locks
    WHERE locktype = 'advisory' AND classid::bigint = ${WATCH_LOCK_CLASS} AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
    await untilWatched(second);
    await until(async () => first.backForMs(), {
      what: "the first channel back",
      isDone: (backForMs) => backForMs !== null,
    });
    expect(await first.watch()).toBe(false);
  },
);

test(verifies("engine:one-watcher", "a process that cannot watch leaves it to another"), async () => {
  const { deps } = await openRunBench(database, PROJECT);
  const away = connect("postgresql://nobody@127.0.0.1:1/none", 1);
  const [first, second] = [await openChannel(), await openChannel()];
  await expect(createTakeover({ ...deps, db: away }, createId("worker"), first)()).rejects.toThrow();
  expect(await second.watch()).toBe(true);
  await away.$disconnect();
});

test(
  verifies("engine:one-watcher", "a process that is about to end leaves it to another while its own calls still run"),
  async () => {
    const { deps } = await openRunBench(database, PROJECT);
    const [first, second] = [await openChannel(), await openChannel()];
    const loop = startRunLoop(deps, { ownerId: createId("worker"), capacity: 1, channel: first });
    await untilWatched(first);
    expect(await second.watch()).toBe(false);
    await loop.stop();
    expect(first.isOpen()).toBe(true);
    expect(await second.watch()).toBe(true);
  },
);

test(
  verifies(
    "engine:one-watcher",
    "of three workers one watches for dead ones; when it is killed another one does, and takes over its runs long before their leases end",
  ),
  async () => {
    const server = await startRecordingServer({});
    await server.hold(FREE_TOOL);
    fleet = await openFleet(database, twoCallsProject(server.url));
    let workers = [await fleet.startWorker(), await fleet.startWorker(), await fleet.startWorker()];
    let seen: number[] = [];
    for (const round of [1, 2]) {
      await untilAllTried(workers.map(({ pid }) => pid));
      const [watcher, ...more] = whoLooks().filter((pid) => !seen.includes(pid));
      expect(more).toEqual([]);
      const dead = workers.find(({ pid }) => pid === watcher)!;
      const runId = await startRunOf(dead.ownerId, `round-${round}`);
      // With a lease that ends in an hour, only a watcher that saw the process die can free the run.
      const hour = new Date(Date.now() + 3_600_000);
      process.kill(dead.pid, "SIGKILL");
      await database.db.run.updateMany({ where: { leaseOwner: dead.ownerId }, data: { leaseUntil: hour } });
      await until(() => database.db.run.findUniqueOrThrow({ where: { id: runId } }), {
        what: "the run taken over",
        isDone: (run) => run.epoch === 2,
      });
      workers = workers.filter((worker) => worker !== dead);
      seen = [...seen, watcher!];
    }
    await server.release(FREE_TOOL);
    await server.close();
  },
);

/** A run that this worker has; other workers keep the runs that they claim meanwhile. */
async function startRunOf(ownerId: string, tag: string): Promise<string> {
  for (let count = 1; ; count++) {
    const { runId } = await startTwoCalls(fleet!.deps, `${tag}-${count}`);
    const run = await until(() => database.db.run.findUniqueOrThrow({ where: { id: runId } }), {
      what: "the run claimed",
      isDone: ({ leaseOwner }) => leaseOwner !== null,
    });
    if (run.leaseOwner === ownerId) return runId;
  }
}
