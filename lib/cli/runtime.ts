import { openDatabase } from "@/lib/cli/database";
import { openRuntime, type Runtime } from "@/lib/runs/runtime";
import { startTracing } from "@/lib/telemetry/start-tracing";

/**
 * What a command needs to start, decide or end runs. It advances none itself: a worker of a running server polls and
 * finds the row within half a second, so nobody is notified.
 */
export async function withRuntime<T>(work: (runtime: Runtime) => Promise<T>): Promise<T> {
  await openDatabase();
  const tracing = await startTracing();
  const runtime = await openRuntime({ wake: () => undefined });
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
    await tracing.stop();
  }
}
