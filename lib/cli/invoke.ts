/** `kimitsu invoke NAME`: starts a run, and follows it with --wait. */
import type { Command } from "commander";
import { jsonLine } from "@/lib/cli/json-text";
import { actorOf, findPerson } from "@/lib/cli/person";
import { plainLine } from "@/lib/cli/plain-line";
import { readInput } from "@/lib/cli/read-input";
import { withRuntime } from "@/lib/cli/runtime";
import { EXIT_CODES, waitForRun } from "@/lib/cli/wait-for-run";
import { readDuration } from "@/lib/config/duration";
import { findWorkflow, listWorkflows } from "@/lib/config/list-definitions";
import { suggest } from "@/lib/config/problem";
import { showInvisible } from "@/lib/text/tool-text";
import { toEnvelope } from "@/lib/runs/run-envelope";
import type { Runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
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
    .option(
      "--wait",
      "show what happens until the run has ended; exit code 0 complete, 1 failed, 3 cancelled, 4 waits for people, 5 not ended in time, 130 interrupted; the run goes on",
    )
    .option("--until-asked", "with --wait: stop when the run waits for people")
    .option("--timeout <duration>", "with --wait: stop waiting after this, such as 90s or 10m; the run goes on")
    .option("--user <e-mail>", "who starts it; default: the first admin")
    .option("--json", "print JSON: the run's id, or with --wait the envelope, as the API gives it, and the output")
    .action((workflow: string, options: Options) =>
      withRuntime(async (deps) => {
        const timeout = readTimeout(options.timeout);
        const person = await findPerson(deps, options.user);
        refuseUnknown(deps, workflow);
        const { runId } = await startRun(deps, {
          workflow,
          params: readInput(options.input, "--input"),
          actor: actorOf(person),
        });
        if (!options.wait) return console.log(options.json ? jsonLine({ run_id: runId }) : runId);
        if (!options.json) console.error(`${runId} started as ${person.email}`);
        const interrupted = listenForInterrupt();
        const run = await waitForRun(deps, runId, {
          quiet: options.json === true,
          stopForPeople: options.untilAsked === true,
          signal: AbortSignal.any([timeout, interrupted]),
        });
        if (interrupted.aborted) {
          console.error(`\nNo longer waiting; the run goes on. kimitsu runs get ${runId} shows it.`);
          process.exitCode = EXIT_INTERRUPTED;
          return;
        }
        const { status, output, error } = run;
        console.log(
          options.json
            ? jsonLine({ ...toEnvelope(run), output: status === "complete" ? (output ?? null) : null })
            : status === "complete"
              ? showInvisible(JSON.stringify(output, null, 2))
              : `${runId} is ${status}${error ? `: ${plainLine(error.message)}` : ""}`,
        );
        process.exitCode = EXIT_CODES[status];
      }),
    );
}

/** The exit code that shells use after Ctrl-C. */
const EXIT_INTERRUPTED = 130;

/** One press of Ctrl-C may arrive twice, from the terminal and from the parent process. */
const SAME_PRESS_MS = 500;

/** The first Ctrl-C ends the waiting, the second the command. */
function listenForInterrupt(): AbortSignal {
  const controller = new AbortController();
  const interrupt = () => {
    if (!controller.signal.aborted)
      setTimeout(() => process.removeListener("SIGINT", interrupt), SAME_PRESS_MS).unref();
    controller.abort();
  };
  process.on("SIGINT", interrupt);
  return controller.signal;
}

/** The API does not list what can be started; a person on this machine can read the files. */
function refuseUnknown({ projects }: Runtime, name: string): void {
  const { project } = projects.current();
  const workflow = findWorkflow(project, name);
  if (workflow?.definition.visibility === "root") return;
  const known = listWorkflows(project)
    .filter(({ definition }) => definition.visibility === "root")
    .map((workflow) => workflow.name);
  const why = workflow
    ? `Workflow ${name} is a sub-workflow, which only another workflow starts`
    : `There is no workflow ${name}`;
  throw new KimitsuError(
    "not_found",
    `${why}; ${suggest(name, known, "workflows that can be started") ?? "the project has none that can be started"}`,
  );
}

/** Ends the waiting, never the run. */
function readTimeout(text: string | undefined): AbortSignal {
  if (text === undefined) return new AbortController().signal;
  const duration = readDuration(text);
  if (!duration.ok) throw new KimitsuError("invalid_request", `--timeout ${text}: ${duration.message}`);
  return AbortSignal.timeout(duration.ms);
}
