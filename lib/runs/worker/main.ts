/** `kimitsu worker`: a process that only advances runs. It ends on a signal, or when its parent is gone. */
import { cleanOutput } from "@/lib/projects/clean-output";
import { engineDeps } from "@/lib/database/deps";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import { db } from "@/lib/database/client";
import { startTracing } from "@/lib/telemetry/start-tracing";
import { openProbes } from "@/lib/runs/worker/probe-server";
import { startWorker } from "@/lib/runs/worker/start-worker";

/** More than the time that sent calls are given. After it something hangs, and others wait for the runs. */
const END_MS_MAX = 12_000;

cleanOutput();
// Node's own last message bypasses the log, so it is written here.
process.on("uncaughtException", (error) => {
  console.error("kimitsu worker: it ends by an error that nobody caught:", error);
  process.exit(1);
});

try {
  if (env.KIMITSU_WORKERS === 0)
    throw new KimitsuError(
      "config_invalid",
      "KIMITSU_WORKERS is 0, so this process would advance nothing. Set it to the number of runs at the same time, or leave it out for 16.",
    );
  const tracing = await startTracing();
  // Before any run is claimed: a port that cannot be opened must not leave runs behind.
  const probes =
    env.KIMITSU_WORKER_PORT === undefined
      ? null
      : await openProbes(engineDeps(), { host: env.HOST, port: env.KIMITSU_WORKER_PORT });
  const worker = await startWorker();
  let ending = false;
  const end = async () => {
    if (ending) return;
    ending = true;
    setTimeout(() => {
      log.error("the worker could not end in time; it is ended without cleaning up");
      process.exit(1);
    }, END_MS_MAX).unref();
    probes?.close();
    await worker.stop();
    await tracing.stop();
    await db().$disconnect();
    process.exit(0);
  };
  for (const signal of ["SIGINT", "SIGTERM", "disconnect"]) process.on(signal, () => void end());
} catch (error) {
  if (!(error instanceof KimitsuError)) throw error;
  console.error(`kimitsu worker: ${error.message}`);
  process.exit(1);
}
