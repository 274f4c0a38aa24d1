import { hostname } from "node:os";
import { ANCHOR_INTERVAL_MS, HEARTBEAT_INTERVAL_MS } from "@/lib/domain/limits";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { db } from "@/lib/store/client";
import { beatWorker, pruneWorkers, removeWorker } from "@/lib/store/transitions/beat-worker";
import { pruneThrottles } from "@/lib/store/transitions/take-throttle";
import { writeAnchor } from "@/lib/store/transitions/write-anchor";
import { repeat } from "@/lib/worker/repeat";

const PRUNE_INTERVAL_MS = 10 * 60_000;

export interface RunningWorker {
  id: string;
  /** Ends all tasks, lets the one under way finish, and takes the worker off the list. */
  stop(): Promise<void>;
}

/** What a process does besides answering requests: it says that it lives, ties the audit chains together, and clears what is over. */
export function startWorker(): RunningWorker {
  const worker = { id: createId("worker"), process: `${hostname()}:${process.pid}`, capacity: env.KIMITSU_WORKERS };
  const now = () => new Date();
  const tasks = [
    repeat("heartbeat", HEARTBEAT_INTERVAL_MS, () => beatWorker(db(), worker, now())),
    repeat("anchor", ANCHOR_INTERVAL_MS, async () => void (await writeAnchor(db(), now()))),
    repeat("prune", PRUNE_INTERVAL_MS, async () => {
      await pruneThrottles(db(), now());
      await pruneWorkers(db(), now());
    }),
  ];
  log.info({ worker: worker.id }, "worker started");
  return {
    id: worker.id,
    async stop() {
      await Promise.all(tasks.map((task) => task.stop()));
      await removeWorker(db(), worker.id).catch((error: unknown) => log.warn({ err: error }, "worker could not sign off"));
      log.info({ worker: worker.id }, "worker stopped");
    },
  };
}
