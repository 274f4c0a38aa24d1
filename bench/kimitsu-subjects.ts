/** Kimitsu as a subject, driven in two ways: by hand, as the peers are, and by its own worker. */
import { setTimeout as delay } from "node:timers/promises";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import { advanceRun } from "@/lib/runs/advance-run";
import { decideInRun } from "@/lib/approvals/decide-in-run";
import { startRun } from "@/lib/runs/start-run";
import { createId } from "@/lib/ids";
import type { Db } from "@/lib/database/client";
import type { Claimed } from "@/lib/runs/journal/claim-run";
import { openWakeChannel } from "@/lib/database/wake-channel";
import { type RunLoop, startRunLoop } from "@/lib/runs/worker/run-loop";
import { createReviewer, openKimitsu } from "./kimitsu-runtime";
import type { Subject, SubjectOptions } from "./subject.mjs";

/** Runs that the worker advances at a time. */
const CAPACITY = 32;
/** How often the row of an awaited run is polled, for all waiters with one query. */
const LOOK_MS = 2;

/** What a request and a worker do, one after the other: the caller that starts or decides also advances the run. */
export async function openByHand({ url, onAct }: SubjectOptions): Promise<Subject> {
  const { deps, close } = await openKimitsu({ url, onAct });
  const by = await createReviewer(deps);
  const owner = createId("worker");
  const advancing = new Map<string, Promise<unknown>>();
  const take = (claimed: Claimed) => {
    advancing.set(claimed.lease.runId, advanceRun(deps, claimed, { signal: new AbortController().signal }));
  };
  deps.workerSlot = () => ({ owner, take, leave: async () => undefined });
  const untilParked = async (runId: string) => {
    if (!advancing.has(runId)) throw new Error(`run ${runId} was not there to be claimed`);
    await advancing.get(runId);
    advancing.delete(runId);
  };
  return {
    async start() {
      const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
      await untilParked(runId);
      return runId;
    },
    async decide(runId) {
      await decideInRun(deps, by, { target: { runId }, verdict: "approved" });
      await untilParked(runId);
    },
    recover: async (runId) => (await openWithWorker({ url, onAct })).recover(runId),
    close,
  };
}

/** As it is deployed: a worker is notified of runs, claims, renews and hands over; waiters poll the run's row. */
export async function openWithWorker({ url, onAct }: SubjectOptions): Promise<Subject> {
  const { deps, close } = await openKimitsu({ url, onAct });
  const by = await createReviewer(deps);
  const owner = createId("worker");
  let loop: RunLoop | null = null;
  deps.wake = (runId) => loop?.wake(runId);
  deps.workerSlot = (runId) => loop?.workerSlot(runId) ?? null;
  const channel = openWakeChannel(url, owner, (runId) => loop?.wake(runId));
  await channel.opened;
  loop = startRunLoop(deps, { ownerId: owner, capacity: CAPACITY, channel });
  const watch = createWatch(deps.db);
  return {
    async start() {
      const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: SYSTEM_ACTOR });
      await watch.until(runId, (status) => status === "pending_approval");
      return runId;
    },
    async decide(runId) {
      await decideInRun(deps, by, { target: { runId }, verdict: "approved" });
      await watch.until(runId, isRunSettled);
    },
    recover: async (runId) =>
      (await watch.until(runId, (status) => isRunSettled(status) || status === "needs_human_review")) ===
      "needs_human_review"
        ? "review"
        : "ended",
    async close() {
      await loop.stop();
      await channel.close();
      await close();
    },
  };
}

type Status = Parameters<typeof isRunSettled>[0];
interface Wait {
  isReached: (status: Status) => boolean;
  resolve: (status: Status) => void;
}

/** One query for all waiters, as long as there are any. */
function createWatch(db: Db) {
  const waits = new Map<string, Set<Wait>>();
  let isLooking = false;
  async function look(): Promise<void> {
    isLooking = true;
    while (waits.size > 0) {
      for (const { id, status } of await db.run.findMany({
        where: { id: { in: [...waits.keys()] } },
        select: { id: true, status: true },
      })) {
        for (const wait of waits.get(id) ?? []) {
          if (!wait.isReached(status)) continue;
          waits.get(id)?.delete(wait);
          wait.resolve(status);
        }
        if (waits.get(id)?.size === 0) waits.delete(id);
      }
      await delay(LOOK_MS);
    }
    isLooking = false;
  }
  return {
    until: (runId: string, isReached: Wait["isReached"]) =>
      new Promise<Status>((resolve, reject) => {
        const known = waits.get(runId) ?? new Set();
        waits.set(runId, known.add({ isReached, resolve }));
        if (!isLooking) look().catch(reject);
      }),
  };
}
