/** `kimitsu runs` and `kimitsu runs get ID`. */
import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { jsonBlock, jsonLine } from "@/lib/cli/json-text";
import { describeWays } from "@/lib/cli/suggest-decider";
import { formatTable } from "@/lib/cli/format-table";
import { plainLine } from "@/lib/cli/plain-line";
import { RUN_TRANSITIONS, type RunStatus } from "@/lib/runs/rules/run-state";
import { showInvisible } from "@/lib/text/tool-text";
import { toEnvelope, toSummary } from "@/lib/runs/run-envelope";
import { KimitsuError } from "@/lib/errors";
import { getRun, type RunView } from "@/lib/runs/queries/get-run";
import { listRuns } from "@/lib/runs/queries/list-runs";

interface ListOptions {
  workflow?: string;
  status?: string;
  agent?: string;
  q?: string;
  limit: string;
  json?: boolean;
}

export function registerRuns(program: Command): void {
  const runs = program
    .command("runs")
    .description("list runs, newest first")
    .option("--workflow <name>")
    .option("--status <list>", `comma separated: ${Object.keys(RUN_TRANSITIONS).join(", ")}`)
    .option("--agent <name>")
    .option("--q <words>", "words in id, workflow, agents, starter or params")
    .option("--limit <n>", "how many", "20")
    .option("--json", "print JSON lines, as the API gives them")
    .allowExcessArguments()
    .action(async (options: ListOptions, { args: [given] }: Command) => {
      if (given !== undefined)
        throw new KimitsuError(
          "invalid_request",
          `kimitsu runs lists runs and takes no ${given}; write kimitsu runs get ${given.startsWith("run_") ? given : "run_…"}`,
        );
      const { db } = await openDatabase();
      const { items } = await listRuns(db, {
        workflow: options.workflow,
        agent: options.agent,
        text: options.q,
        status: readStatus(options.status),
        limit: readLimit(options.limit),
      });
      if (options.json) return items.forEach((run) => console.log(jsonLine(toSummary(run))));
      const rows = items.map((run) => [
        run.id,
        run.workflow,
        run.status,
        run.createdAt.toISOString().slice(0, 19).replace("T", " "),
        `$${run.figures.costUsd.toFixed(4)}`,
        run.startedBy.name,
      ]);
      console.log(
        rows.length === 0
          ? "No runs."
          : formatTable(["RUN", "WORKFLOW", "STATUS", "STARTED (UTC)", "COST", "BY"], rows),
      );
    });
  runs
    .command("get")
    .description("one run: its steps, what waits, its output")
    .argument("<run>", "run_…")
    .option("--json", "print the envelope, as the API gives it")
    .action(async (runId: string, _options: unknown, command: Command) => {
      const { db } = await openDatabase();
      const run = await getRun(db, runId);
      if (command.optsWithGlobals<{ json?: boolean }>().json) return console.log(jsonBlock(toEnvelope(run)));
      console.log(describe(run, await Promise.all(run.pendingApprovals.map((approval) => describeWays(db, approval)))));
    });
}

function readStatus(text: string | undefined): RunStatus[] | undefined {
  const words = text?.split(",").map((word) => word.trim());
  const wrong = words?.find((word) => !Object.hasOwn(RUN_TRANSITIONS, word));
  if (wrong !== undefined)
    throw new KimitsuError(
      "invalid_request",
      `--status ${wrong} is no status of a run; they are ${Object.keys(RUN_TRANSITIONS).join(", ")}`,
    );
  return words as RunStatus[] | undefined;
}

export function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 1000) return limit;
  throw new KimitsuError("invalid_request", `--limit ${text} must be a whole number from 1 to 1000`);
}

function describe(run: RunView, ways: readonly string[]): string {
  const { figures } = run;
  const lines = [
    `${run.id}  ${run.workflow}${run.version && ` ${run.version}`}  ${run.status}${run.error ? `: ${plainLine(run.error.message)}` : ""}`,
    `started by ${plainLine(run.startedBy.name)} at ${run.createdAt.toISOString()}${run.retryOfRunId ? `, retry of ${run.retryOfRunId}` : ""}`,
    `$${figures.costUsd.toFixed(4)}, ${figures.tokensIn} + ${figures.tokensOut} tokens, ${figures.llmCalls} model calls, ${figures.toolCalls} tool calls, ${(run.durationMs / 1000).toFixed(1)} s`,
    `params ${plainLine(JSON.stringify(run.params))}`,
    "",
    formatTable(
      ["STEP", "TYPE", "STATUS", ""],
      run.steps.map((step) => [
        step.key,
        step.type,
        `${step.status}${step.degraded ? " (degraded)" : ""}`,
        step.error?.message ?? "",
      ]),
    ),
  ];
  for (const [place, approval] of run.pendingApprovals.entries())
    lines.push(
      "",
      `waits for a decision: ${plainLine(approval.summary)}`,
      `  ${plainLine(`${approval.server}.${approval.tool} ${JSON.stringify(approval.arguments)}`)}`,
      `  ${ways[place]}`,
    );
  for (const { id, name, message } of run.pendingReviews)
    lines.push(
      "",
      `waits for a review: the answer of step ${plainLine(name)} (${id})${message && `: ${plainLine(message)}`}`,
      "  accept it or end the run in the console, or with POST /runs/{runId}/review",
    );
  for (const call of run.pendingSettlements) {
    const what = plainLine(`${call.server}.${call.tool} ${JSON.stringify(call.arguments)}`);
    lines.push(
      "",
      `nobody knows whether this happened: ${plainLine(call.summary)}`,
      `  ${what}`,
      `  ${call.id}, since ${call.since.toISOString()}: settle it in the console, or with POST /calls/${call.id}/settle`,
    );
  }
  if (run.status === "complete") lines.push("", showInvisible(JSON.stringify(run.output, null, 2)));
  return lines.join("\n");
}
