import { cleanOutput } from "@/lib/engine/clean-output";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";
import { db } from "@/lib/store/client";
import { startTracing } from "@/lib/telemetry/start-tracing";
import { tellRefusal } from "@/lib/telemetry/tell-refusal";
import { type RunningWorker, startWorker } from "@/lib/worker/start-worker";

const kept = globalThis as typeof globalThis & { __kimitsuShutdown?: () => Promise<void>; __kimitsuTellRefusal?: typeof tellRefusal };

cleanOutput();
// For scripts/web.mjs, which refuses requests before anything of the application has seen them.
kept.__kimitsuTellRefusal = tellRefusal;

/** A project that cannot be used stops the runs, not the console: it is where people read what is wrong. */
async function start(): Promise<RunningWorker | null> {
  try {
    return await startWorker();
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    log.error(error.message);
    return null;
  }
}

// Next may load this twice in development.
if (!kept.__kimitsuShutdown) {
  const tracing = startTracing();
  const worker = tracing.then(start);
  kept.__kimitsuShutdown = async () => {
    await (await worker)?.stop();
    await (await tracing).stop();
    await db().$disconnect();
  };
}
