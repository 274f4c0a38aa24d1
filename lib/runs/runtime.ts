/**
 * What a process has open for runs: the project, the tool servers, the way to wake a run. Shared by worker and
 * requests.
 */
import { createHmac, hkdfSync } from "node:crypto";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import type { StartDeps } from "@/lib/runs/start-run";
import { createEndKeeper, createListKeeper, logProgramLine } from "@/lib/tools/registry/keep-list";
import { openProjects } from "@/lib/projects/projects";
import { watchQueue } from "@/lib/runs/queue-room";
import { env, processVariables } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { db } from "@/lib/database/client";
import { builtinsByEnv } from "@/lib/tools/builtin/builtins-by-env";
import { createBuiltins } from "@/lib/tools/builtin/open-builtin";
import { createEgress } from "@/lib/tools/egress";
import { createToolPool } from "@/lib/tools/tool-pool";

export type Runtime = RunDeps & StartDeps & { close(): Promise<void> };

// Next bundles route handlers separately from instrumentation; only the global object is shared.
const kept = globalThis as typeof globalThis & { __kimitsuRuntime?: Runtime };

export async function openRuntime({ wake, workerSlot }: Pick<Runtime, "wake" | "workerSlot">): Promise<Runtime> {
  const egress = createEgress({ allowHosts: env.KIMITSU_ALLOW_HOSTS });
  const now = () => new Date();
  const processEnv = processVariables();
  const deployment = {
    allowStdio: env.KIMITSU_ALLOW_STDIO,
    allowBypass: env.KIMITSU_ALLOW_BYPASS,
    allowHosts: env.KIMITSU_ALLOW_HOSTS,
  };
  const projects = await openProjects({
    root: env.KIMITSU_PROJECT,
    dataFolder: env.KIMITSU_DATA,
    env: env.KIMITSU_ENV,
    deployment,
    processEnv,
    db: db(),
    fetch: egress.guardedFetch,
    now,
  });
  const pool = createToolPool({
    allowHosts: env.KIMITSU_ALLOW_HOSTS,
    stdio: env.KIMITSU_ALLOW_STDIO ? { env: { PATH: processVariables().PATH ?? "" } } : null,
    openBuiltin: createBuiltins(builtinsByEnv(env.KIMITSU_PROJECT)),
    onListChanged: createListKeeper({ db: db(), now, projects }),
    onProgramEnded: createEndKeeper({ db: db(), now }),
    onStderr: logProgramLine,
  });
  const runtime: Runtime = {
    db: db(),
    now,
    projects,
    pool,
    fetch: egress.guardedFetch,
    processEnv,
    deployment,
    fingerprint: createFingerprint(),
    queue: watchQueue({ db: db(), now }, env.KIMITSU_QUEUE_MAX),
    wake,
    ...(workerSlot && { workerSlot }),
    close: async () => {
      await pool.close();
      await egress.close();
    },
  };
  return (kept.__kimitsuRuntime = runtime);
}

/** Undefined in a process that has none, or not yet. */
export const findRuntime = (): Runtime | undefined => kept.__kimitsuRuntime;

/** For requests. Throws in a process whose project cannot be used. */
export function runtime(): Runtime {
  if (!kept.__kimitsuRuntime)
    throw new KimitsuError("unavailable", "Runs are not available in this process yet; the log says why.", {
      retryAfterS: 2,
    });
  return kept.__kimitsuRuntime;
}

/** Short, and keyed: a reader of the database cannot test guesses against it. */
export function createFingerprint(): (value: string) => string {
  const key = Buffer.from(hkdfSync("sha256", env.AUTH_SECRET ?? "", "", "kimitsu/fingerprint/1", 32));
  return (value) => createHmac("sha256", key).update(value).digest("hex").slice(0, 12);
}
