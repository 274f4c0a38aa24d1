/**
 * `kimitsu worker`: a process that does nothing but advance runs, on this machine or another one that reaches the same
 * database.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Command } from "commander";
import { databaseUrl, openDatabase } from "@/lib/cli/database";
import { allowedHosts } from "@/lib/cli/demo-hosts";
import { projectRoot } from "@/lib/cli/project-options";
import { repositoryRoot } from "@/lib/cli/repository-root";
import { processVariables } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

export function registerWorker(program: Command): void {
  program
    .command("worker")
    .description("advance runs, until told to stop")
    .option("--concurrency <n>", "runs advanced at the same time; default: KIMITSU_WORKERS, or 16")
    .action(async (options: { concurrency?: string }) => {
      const extra: Record<string, string> =
        options.concurrency === undefined ? {} : { KIMITSU_WORKERS: readConcurrency(options.concurrency) };
      await openDatabase();
      process.exitCode = await runWorker({
        DATABASE_URL: databaseUrl(),
        KIMITSU_PROJECT: projectRoot(),
        KIMITSU_ALLOW_HOSTS: allowedHosts().join(","),
        ...extra,
      });
    });
}

function readConcurrency(text: string): string {
  if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= 1024) return text;
  throw new KimitsuError("invalid_request", `--concurrency ${text} must be a whole number from 1 to 1024`);
}

/**
 * A separate process, because this one has read its environment already, and the worker's differs. It ends with this
 * one.
 */
async function runWorker(variables: Record<string, string>): Promise<number> {
  const child = spawn(process.execPath, ["scripts/run-ts.mjs", "lib/runs/worker/main.ts"], {
    cwd: repositoryRoot(),
    env: { ...(processVariables() as NodeJS.ProcessEnv), ...variables },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const stop = () => void child.kill("SIGTERM");
  process.on("SIGINT", stop).on("SIGTERM", stop);
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  return code ?? (signal === "SIGTERM" ? 0 : 1);
}
