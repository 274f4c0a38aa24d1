/** Takes runs that have something to do and advances them, so many at a time; keeps their leases; hands them over when the process ends. */
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { CLAIM_POLL_INTERVAL_MS, LEASE_MS, LEASE_RENEW_INTERVAL_MS, TAKEOVER_POLL_INTERVAL_MS } from "@/lib/domain/limits";
import { isRunSettled } from "@/lib/domain/run-state";
import type { RunDeps } from "@/lib/engine/advance/run-deps";
import { advanceRun } from "@/lib/engine/advance-run";
import { log } from "@/lib/log";
import type { Lease } from "@/lib/store/lease-sql";
import { type Candidate, findCandidate, listRunnable } from "@/lib/store/queries/list-runnable";
import { claimRun } from "@/lib/store/transitions/claim-run";
import { releaseDeadOwners } from "@/lib/store/transitions/release-dead-owners";
import { renewLeases } from "@/lib/store/transitions/renew-leases";
import { repeat } from "@/lib/worker/repeat";

interface Active {
  lease: Lease | null;
  wakes: number;
  wake: () => Promise<void>;
  ended: Promise<void>;
}

export interface RunLoop {
  /** This run has something to do; called after a commit in this process, and for calls from others. */
  wake(runId: string): void;
  stop(): Promise<void>;
}

export function startRunLoop(deps: RunDeps, options: { ownerId: string; capacity: number }): RunLoop {
  const active = new Map<string, Active>();
  const ending = new AbortController();
  const wanted = new Set<string>();

  const take = (candidate: Candidate) => {
    if (active.has(candidate.id) || active.size >= options.capacity || ending.signal.aborted || isRunSettled(candidate.status)) return;
    const entry: Active = { lease: null, wakes: 0, wake: async () => undefined, ended: Promise.resolve() };
    active.set(candidate.id, entry);
    entry.ended = drive(candidate, entry).finally(() => {
      active.delete(candidate.id);
      if (wanted.delete(candidate.id)) look(candidate.id);
      else if (!ending.signal.aborted && active.size >= options.capacity - 1) poll();
    });
  };

  const drive = async (candidate: Candidate, entry: Active) => {
    try {
      const claim = await claimRun(deps.db, { runId: candidate.id, owner: options.ownerId, leaseMs: LEASE_MS, from: candidate.status }, SYSTEM_ACTOR, deps.now());
      if (claim.kind === "lost") return;
      entry.lease = claim.lease;
      entry.wakes = claim.wakes;
      const outcome = await advanceRun(deps, claim.lease, { signal: ending.signal, onReady: (wake) => (entry.wake = wake) });
      if (outcome.kind === "parked" && outcome.wakeAt) setTimeout(() => look(candidate.id), Math.max(outcome.wakeAt.getTime() - deps.now().getTime(), 0)).unref();
    } catch (error) {
      // The lease runs out and the run is taken up again, here or elsewhere.
      log.error({ run: candidate.id, err: error }, "a run could not be advanced; it is taken up again");
    }
  };

  const look = (runId: string) => {
    if (ending.signal.aborted) return;
    findCandidate(deps.db, runId).then(
      (candidate) => candidate && take(candidate),
      () => undefined,
    );
  };

  let polling: Promise<void> | null = null;
  const poll = () =>
    (polling ??= listRunnable(deps.db, deps.now(), Math.max(options.capacity - active.size, 0))
      .then((candidates) => candidates.forEach(take))
      .finally(() => (polling = null)));

  const tasks = [
    repeat("claim", CLAIM_POLL_INTERVAL_MS, async () => {
      if (active.size < options.capacity) await poll();
    }),
    repeat("renew", LEASE_RENEW_INTERVAL_MS, async () => {
      const held = [...active.values()].filter((entry) => entry.lease !== null);
      const renewed = await renewLeases(deps.db, held.map((entry) => entry.lease as Lease), LEASE_MS, deps.now());
      for (const entry of held) {
        const state = entry.lease && renewed.get(entry.lease.runId);
        if (state && state.wakes !== entry.wakes) {
          entry.wakes = state.wakes;
          await entry.wake();
        }
      }
    }),
    repeat("takeover", TAKEOVER_POLL_INTERVAL_MS, async () => {
      const freed = await releaseDeadOwners(deps.db, options.ownerId, deps.now());
      if (freed.length > 0) await poll();
    }),
  ];

  return {
    wake(runId) {
      const entry = active.get(runId);
      if (!entry) return look(runId);
      // It may be about to park and not see this any more; then it is looked at once again.
      wanted.add(runId);
      void entry.wake().catch(() => undefined);
    },
    async stop() {
      ending.abort(new Error("The process is about to end."));
      await Promise.all(tasks.map((task) => task.stop()));
      await Promise.allSettled([...active.values()].map((entry) => entry.ended));
    },
  };
}
