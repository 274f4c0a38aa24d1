import { hostname } from "node:os";
import {
  ANCHOR_INTERVAL_MS,
  HEARTBEAT_INTERVAL_MS,
  HISTORY_INTERVAL_MS,
  NOTICE_INTERVAL_MS,
  NOTICE_KEPT_MS,
  PROJECTION_INTERVAL_MS,
  SERVER_LOOK_INTERVAL_MS,
  TIMER_SWEEP_INTERVAL_MS,
} from "@/lib/limits";
import { lookAtServers } from "@/lib/tools/registry/look-at-servers";
import { toNoticeDeps } from "@/lib/notices/notice-deps";
import { listOutside, notifyChannels } from "@/lib/notices/notify-channels";
import { readProjectGroups } from "@/lib/projects/read-project-groups";
import { openRuntime } from "@/lib/runs/runtime";
import { startDemoRuns } from "@/lib/runs/start-demo-runs";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { db } from "@/lib/database/client";
import { beatWorker, pruneWorkers, removeWorker } from "@/lib/runs/transitions/beat-worker";
import { pruneEndedSessions } from "@/lib/people/transitions/end-session";
import { pruneAnswers } from "@/lib/runs/transitions/keep-answer";
import { forgetNoticePlace } from "@/lib/notices/transitions/queue-notices";
import { pruneNotices } from "@/lib/notices/transitions/send-notices";
import { pruneThrottles } from "@/lib/database/take-throttle";
import { addJournalMonths } from "@/lib/audit/retention/partitions";
import { applyRetention, RETENTION_INTERVAL_MS } from "@/lib/audit/retention/retention-task";
import { writeAnchor } from "@/lib/audit/transitions/write-anchor";
import { openWakeChannel, type WakeChannel } from "@/lib/database/wake-channel";
import { metrics } from "@/lib/telemetry/metrics";
import { createProjectionTask } from "@/lib/runs/projections/project-news";
import { createHistoryKeeper } from "@/lib/runs/worker/keep-history";
import { repeat } from "@/lib/runs/worker/repeat";
import { type RunLoop, startRunLoop } from "@/lib/runs/worker/run-loop";
import { sweepTimers } from "@/lib/runs/worker/sweep-timers";

const PRUNE_INTERVAL_MS = 10 * 60_000;
/** Also how soon adding a partition is retried after a reader of the journal blocked it. */
const MONTHS_INTERVAL_MS = 10 * 60_000;
const PRUNE_BATCH = 1_000;

export interface RunningWorker {
  id: string;
  /** Begins nothing new, hands its runs over, and removes the worker from the list. */
  stop(): Promise<void>;
}

/**
 * What a process does besides answering requests: it advances runs, checks timers, sends heartbeats, anchors the audit
 * chains, updates the projections, notifies the channels, checks tool servers, and deletes what has expired. With a
 * capacity of 0 it only opens what requests need. A project that cannot be used is refused before anything is opened.
 */
export async function startWorker(): Promise<RunningWorker> {
  const worker = { id: createId("worker"), process: `${hostname()}:${process.pid}`, capacity: env.KIMITSU_WORKERS };
  const now = () => new Date();
  let loop: RunLoop | null = null;
  let channel: WakeChannel | null = null;
  const wake = (runId: string) => {
    const callOthers = () => channel?.call(runId);
    // Others are notified only of what this process does not claim itself, or all of them would compete for each row.
    if (loop) loop.wake(runId, callOthers);
    else callOthers();
  };
  const runtime = await openRuntime({ wake, workerSlot: (runId) => loop?.workerSlot(runId) ?? null });
  await readProjectGroups(runtime);
  channel = openWakeChannel(env.DATABASE_URL ?? "", worker.id, (runId) => loop?.wake(runId));
  const notifiesChannels = listOutside(runtime.projects.current().project).length > 0;
  if (!notifiesChannels) await forgetNoticePlace(db());
  const stopping = new AbortController();
  const { signal } = stopping;
  const retention = () => runtime.projects.current().project.policy?.retention;
  let looks = 0;
  const isFirstLook = () => looks++ === 0;
  const tasks =
    worker.capacity === 0
      ? []
      : [
          repeat("heartbeat", HEARTBEAT_INTERVAL_MS, () => beatWorker(db(), worker, now())),
          repeat("history", HISTORY_INTERVAL_MS, createHistoryKeeper({ db: db(), now })),
          repeat("anchor", ANCHOR_INTERVAL_MS, async () => void (await writeAnchor(db(), now()))),
          repeat("projections", PROJECTION_INTERVAL_MS, createProjectionTask(db())),
          repeat("timers", TIMER_SWEEP_INTERVAL_MS, () => sweepTimers(runtime, wake)),
          ...(notifiesChannels
            ? [repeat("channels", NOTICE_INTERVAL_MS, () => notifyChannels(toNoticeDeps(runtime)))]
            : []),
          repeat("servers", SERVER_LOOK_INTERVAL_MS, () => lookAtServers(runtime, { isStart: isFirstLook(), signal })),
          repeat("prune", PRUNE_INTERVAL_MS, () => prune(now())),
          repeat("months", MONTHS_INTERVAL_MS, async () => void (await addJournalMonths(db(), now()))),
          repeat("retention", RETENTION_INTERVAL_MS, () => applyRetention({ db: db(), now, retention, signal })),
        ];
  metrics().capacity.set(worker.capacity);
  if (worker.capacity > 0) loop = startRunLoop(runtime, { ownerId: worker.id, capacity: worker.capacity, channel });
  void channel.opened.then(() => loop?.look());
  if (env.KIMITSU_DEMO)
    await startDemoRuns(runtime).catch((error: unknown) =>
      log.warn({ err: error }, "the demo's first runs could not be started"),
    );
  log.info({ worker: worker.id, project: runtime.projects.current().project.hash }, "worker started");
  return {
    id: worker.id,
    async stop() {
      stopping.abort();
      await loop?.stop();
      await Promise.all(tasks.map((task) => task.stop()));
      await removeWorker(db(), worker.id).catch((error: unknown) =>
        log.warn({ err: error }, "worker could not sign off"),
      );
      await channel.close();
      await runtime.close();
      log.info({ worker: worker.id }, "worker stopped");
    },
  };
}

/** Deletes what has expired and nobody reads any more. Exported for its test. */
export async function prune(at: Date): Promise<void> {
  await pruneThrottles(db(), at);
  await pruneWorkers(db(), at);
  await pruneEndedSessions(db(), at);
  while (await pruneAnswers(db(), at));
  while (await pruneNotices(db(), new Date(at.getTime() - NOTICE_KEPT_MS), PRUNE_BATCH));
}
