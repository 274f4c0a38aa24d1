/** `kimitsu invoke NAME`: starts a run, and follows it with --wait. */
import type { Command } from "commander";
import { actorOf, findPerson } from "@/lib/cli/person";
import { plainLine } from "@/lib/cli/plain-line";
import { readInput } from "@/lib/cli/read-input";
import { withRuntime } from "@/lib/cli/runtime";
import { EXIT_CODES, waitForRun } from "@/lib/cli/wait-for-run";
import { readDuration } from "@/lib/config/duration";
import { showInvisible } from "@/lib/domain/tool-text";
import { startRun } from "@/lib/engine/start-run";
import { KimitsuError } from "@/lib/errors";

interface Options {
  input: string;
  wait?: boolean;
  untilAsked?: boolean;
  timeout?: string;
  user?: string;
  json?: boolean;
}

export function registerInvoke(program: Command): void {
  program
    .command("invoke")
    .description("start a workflow")
    .argument("<workflow>", "name of a root workflow")
    .option("--input <json|@file>", "its params; @- reads them from standard input", "{}")
    .option("--wait", "show what happens until the run has ended; exit code 0 complete, 1 failed, 3 cancelled, 4 waits for people, 5 not ended in time")
    .option("--until-asked", "with --wait: stop when the run waits for people")
    .option("--timeout <duration>", "with --wait: stop waiting after this, such as 90s or 10m; the run goes on")
    .option("--user <e-mail>", "who starts it; default: the first admin")
    .option("--json", "print JSON: the run's id, or with --wait its end")
    .action((workflow: string, options: Options) => withRuntime(async (deps) => {
      const signal = readTimeout(options.timeout);
      const person = await findPerson(deps, options.user);
      const { runId } = await startRun(deps, { workflow, params: readInput(options.input, "--input"), actor: actorOf(person) });
      if (!options.wait) return console.log(options.json ? JSON.stringify({ run_id: runId }) : runId);
      if (!options.json) console.error(`${runId} started as ${person.email}`);
      const run = await waitForRun(deps, runId, { quiet: options.json === true, stopForPeople: options.untilAsked === true, signal });
      const { status, output, error } = run;
      console.log(options.json ? JSON.stringify({ run_id: runId, status, output: output ?? null, error, pending_approvals: run.pendingApprovals.map(({ id }) => id) }) : status === "complete" ? showInvisible(JSON.stringify(output, null, 2)) : `${runId} is ${status}${error ? `: ${plainLine(error.message)}` : ""}`);
      process.exitCode = EXIT_CODES[status];
    }));
}

/** Ends the waiting, never the run. */
function readTimeout(text: string | undefined): AbortSignal {
  if (text === undefined) return new AbortController().signal;
  const duration = readDuration(text);
  if (!duration.ok) throw new KimitsuError("invalid_request", `--timeout ${text}: ${duration.message}`);
  return AbortSignal.timeout(duration.ms);
}
