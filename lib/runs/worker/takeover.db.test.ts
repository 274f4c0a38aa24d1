import { afterEach, describe, expect, test } from "vitest";
import { LEASE_MS } from "@/lib/limits";
import { startRun } from "@/lib/runs/start-run";
import { createId } from "@/lib/ids";
import { listRunnable } from "@/lib/runs/queries/list-runnable";
import { findCandidate } from "@/lib/testing/find-candidate";
import { type Candidate, claimRun } from "@/lib/runs/journal/claim-run";
import { listMissingOwners, releaseDeadOwners } from "@/lib/runs/transitions/release-dead-owners";
import { renewLeases } from "@/lib/runs/transitions/renew-leases";
import { releaseAfterFault } from "@/lib/runs/journal/release-after-fault";
import { openWakeChannel, type WakeChannel } from "@/lib/database/wake-channel";
import { useDatabase } from "@/lib/testing/database";
import { openRunBench, oneAgentProject, TEST_ACTOR, type RunBench } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";
import { verifies } from "@/e2e/requirements";

const database = useDatabase();
const channels: WakeChannel[] = [];
afterEach(async () => void (await Promise.all(channels.splice(0).map((channel) => channel.close()))));

const PROJECT = oneAgentProject({
  url: "http://127.0.0.1:1/mcp",
  allowlist: "- echo",
  script: "agents: { worker: { turns: [{ output: { done: true } }] } }\n",
});

async function openChannel(ownerId: string, onCall: (runId: string) => void = () => undefined): Promise<WakeChannel> {
  const channel = openWakeChannel(database.url, ownerId, onCall);
  channels.push(channel);
  await channel.opened;
  return channel;
}

async function claimNew({ deps }: RunBench, owner: string) {
  const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
  const candidate = (await findCandidate(deps.db, runId))!;
  const claimed = await claimRun(deps.db, candidate, { owner, leaseMs: LEASE_MS }, deps.now());
  if (!claimed) throw new Error("a new run could not be claimed");
  return claimed.lease;
}

describe("whether a process lives", () => {
  test(
    verifies(
      "promise:5",
      "is known by its lock: runs of one that holds it are left alone, those of one that is gone can be claimed at once",
    ),
    async () => {
      const bench = await openRunBench(database, PROJECT);
      // Many owners, because half of all keys are negative when they are taken.
      const owners = Array.from({ length: 24 }, () => createId("worker"));
      const leases = await Promise.all(owners.map((owner) => claimNew(bench, owner)));
      const living = await Promise.all(owners.slice(0, 12).map((owner) => openChannel(owner)));
      expect(living).toHaveLength(12);
      const missing = await listMissingOwners(database.db, createId("worker"), bench.deps.now());
      expect(missing.toSorted()).toEqual(owners.slice(12).toSorted());

      const freed = await releaseDeadOwners(database.db, owners, bench.deps.now());
      expect(freed.toSorted()).toEqual(
        leases
          .slice(12)
          .map(({ runId }) => runId)
          .toSorted(),
      );
      const runnable = await listRunnable(database.db, bench.deps.now(), { limit: 100, withSilent: true });
      expect(runnable.map(({ id }) => id).toSorted()).toEqual(freed.toSorted());
      expect(await listRunnable(database.db, bench.deps.now(), { limit: 100, withSilent: false })).toEqual([]);
    },
  );

  test("is never doubted by the process itself", async () => {
    const bench = await openRunBench(database, PROJECT);
    const own = createId("worker");
    const lease = await claimNew(bench, own);
    expect(await listMissingOwners(database.db, own, bench.deps.now())).not.toContain(own);
    expect(
      (await renewLeases(database.db, [lease], new Date(bench.deps.now().getTime() + LEASE_MS))).has(lease.runId),
    ).toBe(true);
  });

  test("is visible again after its connection was cut, without any intervention", async () => {
    const owner = createId("worker");
    const channel = await openChannel(owner);
    await database.db
      .$queryRaw`SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid::bigint = (hashtext(${owner})::bigint & 4294967295)`;
    await until(async () => channel.backForMs(), { what: "channel back", isDone: (backForMs) => backForMs !== null });
    expect(channel.isOpen()).toBe(true);
  });
});

describe("a notification on the channel", () => {
  test("reaches the others, not its sender, and what waits is sent before disconnecting", async () => {
    const heard: string[] = [];
    const own: string[] = [];
    const caller = await openChannel(createId("worker"), (id) => own.push(id));
    await openChannel(createId("worker"), (id) => heard.push(id));
    const ids = Array.from({ length: 450 }, () => createId("run"));
    ids.forEach((id) => caller.call(id));
    await caller.close();
    await until(async () => heard.length, { what: "calls heard", isDone: (count) => count === ids.length });
    expect(heard.toSorted()).toEqual(ids.toSorted());
    expect(own).toEqual([]);
  });
});

describe("the claim", () => {
  test("of a run that is no longer as it was seen is lost, so that its event is never wrong", async () => {
    const bench = await openRunBench(database, PROJECT);
    const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    const seen = (await findCandidate(database.db, runId))!;
    const claim = (candidate: Candidate, owner: string) =>
      claimRun(database.db, candidate, { owner, leaseMs: LEASE_MS }, bench.deps.now());
    expect(await claim(seen, "wrk_first")).not.toBeNull();
    bench.clock.advance(LEASE_MS + 1);
    expect(await claim(seen, "wrk_second")).toBeNull();
    const again = (await findCandidate(database.db, runId))!;
    expect(await claim(again, "wrk_second")).not.toBeNull();
    const last = await database.db.event.findFirstOrThrow({
      where: { chainId: runId },
      orderBy: [{ seq: "desc" }, { place: "desc" }],
    });
    expect(last).toMatchObject({
      type: "run.taken_over",
      data: { worker: "wrk_second", from_worker: "wrk_first" },
    });
  });

  test("by many at the same instant is won by one", async () => {
    const bench = await openRunBench(database, PROJECT);
    const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    const candidate = (await findCandidate(database.db, runId))!;
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        claimRun(database.db, candidate, { owner: `wrk_${index}`, leaseMs: LEASE_MS }, bench.deps.now()),
      ),
    );
    expect(claims.filter((claimed) => claimed !== null)).toHaveLength(1);
  });
});

test(
  verifies(
    "engine:fault",
    "a run that cannot be advanced waits twice as long each time, says why, and is clean again when it continues",
  ),
  async () => {
    const bench = await openRunBench(database, PROJECT);
    let lease = await claimNew(bench, createId("worker"));
    const { runId } = lease;
    const read = () => database.db.run.findUniqueOrThrow({ where: { id: runId } });
    const fault = { code: "config_invalid", message: "The project was not kept." };
    for (const [attempts, waitMs] of [
      [1, 1_000],
      [2, 2_000],
      [3, 4_000],
    ] as const) {
      await releaseAfterFault(database.db, lease, fault, bench.deps.now());
      const run = await read();
      // A worker that has released it can write nothing more.
      await releaseAfterFault(database.db, lease, fault, bench.deps.now());
      expect(await read()).toEqual(run);
      expect(run).toMatchObject({ status: "running", leaseOwner: null, error: { ...fault, attempts } });
      expect(run.wakeAt!.getTime() - bench.deps.now().getTime()).toBe(waitMs);
      expect(
        (await listRunnable(database.db, bench.deps.now(), { limit: 100, withSilent: true })).map(({ id }) => id),
      ).not.toContain(runId);
      bench.clock.advance(waitMs);
      const candidate = (await findCandidate(database.db, runId))!;
      const claimer = { owner: createId("worker"), leaseMs: LEASE_MS };
      const claimed = await claimRun(database.db, candidate, claimer, bench.deps.now());
      if (!claimed) throw new Error("not runnable in time");
      lease = claimed.lease;
    }
  },
);
