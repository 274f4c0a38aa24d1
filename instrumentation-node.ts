import { cleanOutput } from "@/lib/projects/clean-output";
import { KimitsuError } from "@/lib/errors";
import { isOperation } from "@/lib/http/find-path";
import { log } from "@/lib/log";
import { db } from "@/lib/database/client";
import { startTracing } from "@/lib/telemetry/start-tracing";
import { recordRefusal } from "@/lib/telemetry/record-refusal";
import { countRequest, refuseWhenDatabaseIsBehind } from "@/lib/http/request-limits";
import { databaseWaiting } from "@/lib/database/deps";
import { openMcpDoor } from "@/lib/proxy/open-mcp-door";
import type { McpDoor } from "@/lib/proxy/mcp-door";
import { findRuntime } from "@/lib/runs/runtime";
import { type RunningWorker, startWorker } from "@/lib/runs/worker/start-worker";

const kept = globalThis as typeof globalThis & {
  __kimitsuShutdown?: () => Promise<void>;
  __kimitsuIsOperation?: typeof isOperation;
  __kimitsuRecordRefusal?: typeof recordRefusal;
  __kimitsuWarn?: (message: string) => void;
  __kimitsuMcp?: McpDoor["handle"];
};

cleanOutput();
// For scripts/web.mjs, which refuses and sorts requests before anything of the application has seen them.
kept.__kimitsuIsOperation = isOperation;
kept.__kimitsuRecordRefusal = recordRefusal;
kept.__kimitsuWarn = (message) => log.warn(message);

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

/** Without a project there is no profile, and so nobody to serve. */
function openDoor(): McpDoor | null {
  const runtime = findRuntime();
  if (!runtime) return null;
  const door = openMcpDoor(runtime, (tokenId) => {
    refuseWhenDatabaseIsBehind(databaseWaiting(runtime));
    countRequest(`token:${tokenId}`);
  });
  kept.__kimitsuMcp = door.handle;
  return door;
}

// Next may load this twice in development.
if (!kept.__kimitsuShutdown) {
  const tracing = startTracing();
  const worker = tracing.then(start);
  const door = worker.then(openDoor);
  kept.__kimitsuShutdown = async () => {
    await (await door)?.close();
    await (await worker)?.stop();
    await (await tracing).stop();
    await db().$disconnect();
  };
}
