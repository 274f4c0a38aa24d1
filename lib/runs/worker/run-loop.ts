/**
 * Claims runs that have something to do and advances them, a limited number at a time; keeps their leases; hands them
 * over when the process ends.
 */
import { setTimeout as delay } from "node:timers/promises";
import {
  CLAIM_POLL_INTERVAL_MS,
  LEASE_MS,
  LEASE_RENEW_INTERVAL_MS,
  SHUTDOWN_PATIENCE_MS,
  TAKEOVER_POLL_INTERVAL_MS,
} from "@/lib/limits";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import type { AdvanceOutcome } from "@/lib/runs/advance-run";
import type { WorkerSlot } from "@/lib/runs/worker-slot";
import { log } from "@/lib/log";
import type { Lease } from "@/lib/runs/journal/commit";
import { findRunnable, listRunnable, type RunnableRun } from "@/lib/runs/queries/list-runnable";
import type { Claimed } from "@/lib/runs/journal/claim-run";
import { renewLeases } from "@/lib/runs/transitions/renew-leases";
import type { WakeChannel } from "@/lib/database/wake-channel";
import { type ActiveRun, driveClaimed, driveRun } from "@/lib/runs/worker/drive-run";
import { repeat } from "@/lib/runs/worker/repeat";
import { metrics } from "@/lib/telemetry/metrics";
import { createTakeover, mayTakeOver } from "@/lib/runs/worker/takeover";

/** A wait that ends later than this is left to the poll. */
const EXACT_WAIT_MS_MAX = 60_000;
/**
 * A claim skips a row that a statement has locked at that moment, such as that of a late decision; the lock is soon
 * released.
 */
const HELD_ROW_MS = 20;
const CLAIM_TRIES = 3;
/** After this many lost claims in a row the others have everything, or lock it; the next poll tries again. */
const LOSSES_MAX = 5;

export interface RunLoop {
  /** A worker slot for a run that is claimed in the commit that gives it something to do. */
  workerSlot(runId: string): WorkerSlot | null;
  /**
   * This run has something to do; called after a commit in this process, and for notifications from others. What is not
   * for this process goes to `callOthers`.
   */
  wake(runId: string, callOthers?: () => void): void;
  /** The channel is open: what waits can be claimed now. Resolves when the list was read and its runs were claimed. */
  look(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunLoopOptions {
  ownerId: string;
  /** Runs advanced at the same time. */
  capacity: number;
  channel: WakeChannel;
  /** How often to poll for runs without a notification. */
  pollMs?: number;
}

export function startRunLoop(
  deps: RunDeps,
  { ownerId, capacity, channel, pollMs = CLAIM_POLL_INTERVAL_MS }: RunLoopOptions,
): RunLoop {
  const active = new Map<string, ActiveRun>();
  const wanted = new Set<string>();
  let backlog: RunnableRun[] = [];
  let losses = 0;
  let isEnding = false;
  const isFull = () => active.size >= capacity;

  /** Whether this process has it now, or is about to claim it. */
  const take = (candidate: RunnableRun): boolean => {
    if (active.has(candidate.id)) return true;
    if (isEnding || isFull() || isRunSettled(candidate.status) || !channel.isOpen()) return false;
    hold(candidate.id, (entry) => driveRun(deps, { candidate, owner: ownerId }, entry));
    return true;
  };

  /** From here on the run counts as one of this process's. */
  const hold = (runId: string, drive: (entry: ActiveRun) => Promise<AdvanceOutcome>): ActiveRun => {
    const entry: ActiveRun = {
      lease: null,
      knownSeq: () => 0,
      renewedAt: performance.now(),
      wake: async () => undefined,
      stop: new AbortController(),
      ended: Promise.resolve(),
    };
    active.set(runId, entry);
    metrics().runsActive.set(active.size);
    entry.ended = see(runId, entry, drive);
    return entry;
  };

  const see = async (runId: string, entry: ActiveRun, drive: (entry: ActiveRun) => Promise<AdvanceOutcome>) => {
    let wasAdvanced = false;
    try {
      const outcome = await drive(entry);
      wasAdvanced = entry.lease !== null;
      if (outcome.kind === "parked" && isEnding) channel.call(runId);
      if (outcome.kind === "parked" && outcome.wakeAt) lookAt(runId, outcome.wakeAt);
    } catch (error) {
      // Most likely the database is away. The lease expires, and the run is claimed again, here or elsewhere.
      log.warn({ run: runId, err: error }, "a run could not be advanced; it is claimed again later");
    }
    const wasFull = isFull();
    active.delete(runId);
    metrics().runsActive.set(active.size);
    if (wanted.delete(runId)) lookFor(runId);
    fill();
    if (wasFull && wasAdvanced && !isFull()) void pollQuietly();
  };

  const fill = () => {
    while (!isFull() && backlog.length > 0) {
      const candidate = backlog.shift() as RunnableRun;
      if (take(candidate)) void seeClaim(active.get(candidate.id));
    }
  };

  /** If another process was quicker with one, it most likely has the others of that list too: a new list is read. */
  const seeClaim = async (entry: ActiveRun | undefined) => {
    await entry?.ended;
    if (!entry || entry.lease !== null) return void (losses = 0);
    backlog = [];
    losses += 1;
    // With growing delays, or all processes would compete for one locked row.
    if (losses <= LOSSES_MAX && !isFull()) setTimeout(pollQuietly, HELD_ROW_MS * (losses - 1)).unref();
  };

  const lookAt = (runId: string, at: Date) => {
    const waitMs = Math.max(at.getTime() - deps.now().getTime(), 0);
    if (waitMs < EXACT_WAIT_MS_MAX) setTimeout(() => lookFor(runId), waitMs).unref();
  };

  const lookFor = (runId: string, callOthers: () => void = () => undefined, tries = CLAIM_TRIES) => {
    // With every worker slot taken, the poll finds it as soon as one is free.
    if (isEnding || isFull()) return callOthers();
    const look = async () => {
      const candidate = await findRunnable(deps.db, deps.now(), runId);
      if (!candidate || !take(candidate)) return callOthers();
      const entry = active.get(runId);
      await entry?.ended;
      if (entry?.lease === null && tries > 1)
        setTimeout(() => lookFor(runId, callOthers, tries - 1), HELD_ROW_MS).unref();
    };
    look().catch(callOthers);
  };

  let polling: Promise<void> | null = null;
  const poll = () => (polling ??= pollOnce().finally(() => (polling = null)));
  const pollOnce = async () => {
    if (isEnding || isFull() || !channel.isOpen()) return;
    // More than fit, because other processes take some of them at the same moment.
    const limit = 2 * capacity - active.size;
    backlog = await listRunnable(deps.db, deps.now(), { limit, withSilent: mayTakeOver(channel) });
    fill();
  };
  // A failure here is retried by the repeated poll, which also logs it.
  const pollQuietly = () => poll().catch(() => undefined);

  const takeOver = createTakeover(deps, ownerId, channel);
  const takers = [
    repeat("claim", pollMs, poll),
    repeat("takeover", TAKEOVER_POLL_INTERVAL_MS, async () => {
      if ((await takeOver()).length > 0) await poll();
    }),
  ];
  const renewal = repeat("renew", LEASE_RENEW_INTERVAL_MS, () => renew(deps, [...active.values()]));

  return {
    workerSlot(runId) {
      if (isEnding || isFull() || active.has(runId) || !channel.isOpen()) return null;
      const claimedFrom = new Date();
      const claimed = Promise.withResolvers<Claimed | null>();
      const entry = hold(runId, async (own) =>
        driveClaimed(deps, { claimed: await claimed.promise, claimedFrom }, own),
      );
      const leave = () => {
        claimed.resolve(null);
        return entry.ended;
      };
      return { owner: ownerId, take: claimed.resolve, leave };
    },
    look: pollQuietly,
    wake(runId, callOthers) {
      const entry = active.get(runId);
      if (!entry) return lookFor(runId, callOthers);
      // It may be about to park and miss this; then it is checked once again.
      wanted.add(runId);
      void entry.wake().catch(() => undefined);
    },
    async stop() {
      isEnding = true;
      for (const entry of active.values()) entry.stop.abort(new Error("The process is about to end."));
      // Leases are kept to the end: a sent call gets its time, and its answer is recorded.
      const stopped = Promise.all(takers.map((task) => task.stop())).then(() =>
        channel.unwatch().catch(() => undefined),
      );
      const drained = Promise.all([stopped, ...[...active.values()].map((entry) => entry.ended)]);
      await within(SHUTDOWN_PATIENCE_MS, drained);
      if (active.size > 0)
        log.warn({ runs: [...active.keys()] }, "calls did not end in time; other processes continue these runs");
      await within(SHUTDOWN_PATIENCE_MS / 10, renewal.stop());
    },
  };
}

async function renew(deps: RunDeps, runs: ActiveRun[]): Promise<void> {
  const held = runs.flatMap((entry) => (entry.lease ? [{ entry, lease: entry.lease }] : []));
  const at = performance.now();
  const until = new Date(deps.now().getTime() + LEASE_MS);
  const renewed = await renewLeases(deps.db, held.map(({ lease }) => lease) as Lease[], until);
  for (const { entry, lease } of held) {
    const state = renewed.get(lease.runId);
    // Ended by this process a moment ago, or taken from it: in both cases there is nothing more to do here.
    if (!state) {
      entry.stop.abort(new Error("Another process has this run now."));
      continue;
    }
    entry.renewedAt = at;
    if (state.seq > entry.knownSeq()) entry.wake().catch(() => undefined);
  }
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const giveUp = new AbortController();
  await Promise.race([work, delay(ms, undefined, { signal: giveUp.signal }).catch(() => undefined)]);
  giveUp.abort();
}
