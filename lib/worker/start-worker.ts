import { hostname } from "node:os";
import { ANCHOR_INTERVAL_MS, HEARTBEAT_INTERVAL_MS, NOTICE_INTERVAL_MS, NOTICE_KEPT_MS, SERVER_LOOK_INTERVAL_MS, TIMER_SWEEP_INTERVAL_MS } from "@/lib/domain/limits";
import { lookAtServers } from "@/lib/engine/look-at-servers";
import { toNoticeDeps } from "@/lib/engine/notices/notice-deps";
import { listOutside, tellChannels } from "@/lib/engine/notices/tell-channels";
import { readProjectGroups } from "@/lib/engine/read-project-groups";
import { openRuntime } from "@/lib/engine/runtime";
import { startDemoRuns } from "@/lib/engine/start-demo-runs";
import { env } from "@/lib/env";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { db } from "@/lib/store/client";
import { beatWorker, pruneWorkers, removeWorker } from "@/lib/store/transitions/beat-worker";
import { pruneAnswers } from "@/lib/store/transitions/keep-answer";
import { forgetNoticePlace } from "@/lib/store/transitions/queue-notices";
import { pruneNotices } from "@/lib/store/transitions/send-notices";
import { pruneThrottles } from "@/lib/store/transitions/take-throttle";
import { writeAnchor } from "@/lib/store/transitions/write-anchor";
import { openWakeLine, type WakeLine } from "@/lib/store/wake-line";
import { metrics } from "@/lib/telemetry/metrics";
import { repeat } from "@/lib/worker/repeat";
import { type RunLoop, startRunLoop } from "@/lib/worker/run-loop";
import { sweepTimers } from "@/lib/worker/sweep-timers";

const PRUNE_INTERVAL_MS = 10 * 60_000;
const PRUNE_BATCH = 1_000;

export interface RunningWorker {
  id: string;
  /** Begins nothing new, hands its runs over, and takes the worker off the list. */
  stop(): Promise<void>;
}

/**
 * What a process does besides answering requests: it advances runs, minds the timers, says that it lives, ties the audit chains
 * together, tells the channels, looks at tool servers, and clears what is over. With a capacity of 0 it only opens what requests need. A project that cannot be used is
 * refused before anything is opened.
 */
export async function startWorker(): Promise<RunningWorker> {
  const worker = { id: createId("worker"), process: `${hostname()}:${process.pid}`, capacity: env.KIMITSU_WORKERS };
  const now = () => new Date();
  let loop: RunLoop | null = null;
  let line: WakeLine | null = null;
  const wake = (runId: string) => {
    const callOthers = () => line?.call(runId);
    // Others are called only for what this process does not take itself, or all of them would run after each row.
    if (loop) loop.wake(runId, callOthers);
    else callOthers();
  };
  const runtime = await openRuntime({ wake, seat: (runId) => loop?.seat(runId) ?? null });
  await readProjectGroups(runtime);
  line = openWakeLine(env.DATABASE_URL ?? "", worker.id, (runId) => loop?.wake(runId));
  const tellsChannels = listOutside(runtime.projects.current().project).length > 0;
  if (!tellsChannels) await forgetNoticePlace(db());
  const stopping = new AbortController();
  let looks = 0;
  const isFirstLook = () => looks++ === 0;
  const tasks = worker.capacity === 0 ? [] : [
    repeat("heartbeat", HEARTBEAT_INTERVAL_MS, () => beatWorker(db(), worker, now())),
    repeat("anchor", ANCHOR_INTERVAL_MS, async () => void (await writeAnchor(db(), now()))),
    repeat("timers", TIMER_SWEEP_INTERVAL_MS, () => sweepTimers(runtime, wake)),
    ...(tellsChannels ? [repeat("channels", NOTICE_INTERVAL_MS, () => tellChannels(toNoticeDeps(runtime)))] : []),
    repeat("servers", SERVER_LOOK_INTERVAL_MS, () => lookAtServers(runtime, { isStart: isFirstLook(), signal: stopping.signal })),
    repeat("prune", PRUNE_INTERVAL_MS, () => prune(now())),
  ];
  metrics().capacity.set(worker.capacity);
  if (worker.capacity > 0) loop = startRunLoop(runtime, { ownerId: worker.id, capacity: worker.capacity, line });
  void line.opened.then(() => loop?.look());
  if (env.KIMITSU_DEMO) await startDemoRuns(runtime).catch((error: unknown) => log.warn({ err: error }, "the demo's first runs could not be started"));
  log.info({ worker: worker.id, project: runtime.projects.current().project.hash }, "worker started");
  return {
    id: worker.id,
    async stop() {
      stopping.abort();
      await loop?.stop();
      await Promise.all(tasks.map((task) => task.stop()));
      await removeWorker(db(), worker.id).catch((error: unknown) => log.warn({ err: error }, "worker could not sign off"));
      await line.close();
      await runtime.close();
      log.info({ worker: worker.id }, "worker stopped");
    },
  };
}

/** What has run out and nobody reads any more. Exported for its test. */
export async function prune(at: Date): Promise<void> {
  await pruneThrottles(db(), at);
  await pruneWorkers(db(), at);
  while (await pruneAnswers(db(), at));
  while (await pruneNotices(db(), new Date(at.getTime() - NOTICE_KEPT_MS), PRUNE_BATCH));
}
