/** `kimitsu replay`: judges past calls with the YAML as it is now, before it is deployed. */
import type { Command } from "commander";
import { openDatabase } from "@/lib/cli/database";
import { formatTable } from "@/lib/cli/format-table";
import { jsonLine } from "@/lib/cli/json-text";
import { loadOptions, projectRoot } from "@/lib/cli/project-options";
import { readDuration } from "@/lib/config/duration";
import { getProject } from "@/lib/config/load-project";
import { readToolsLock } from "@/lib/config/tools-lock";
import { type Replay, type ReplayedCall, replayCalls } from "@/lib/runs/replay-calls";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";

const LIMIT_MAX = 1_000_000;

export function registerReplay(program: Command): void {
  program
    .command("replay")
    .description(
      "judge past calls with the YAML as it is now: what would newly be asked, allowed or denied; nothing is sent",
    )
    .option("--since <time>", 'how far back, such as "7d" or "12h"', "30d")
    .option("--workflow <name>", "only calls of runs of this workflow")
    .option("--limit <n>", "calls to look at, newest first", "10000")
    .option("--env <name>", "use the values of environments/<name>.env.yaml")
    .option("--json", "print every call that is judged differently, as JSON lines")
    .action(async (options: { since: string; workflow?: string; limit: string; env?: string; json?: boolean }) => {
      const project = getProject(projectRoot(), loadOptions(options));
      const deps = await openDatabase();
      const since = new Date(deps.now().getTime() - readSince(options.since));
      const replay = await replayCalls(
        { db: deps.db, project, allowBypass: env.KIMITSU_ALLOW_BYPASS, hasLock: readToolsLock(project.root) !== null },
        { since, workflow: options.workflow, limit: readLimit(options.limit) },
      );
      if (options.json) replay.changed.forEach((call) => console.log(jsonLine(toJson(call))));
      else console.log(describe(replay, options.since));
    });
}

/** With the field names of the API. */
const toJson = ({ callId, runId, ...call }: ReplayedCall) => ({ call_id: callId, run_id: runId, ...call });

function readSince(text: string): number {
  const read = readDuration(text);
  if (!read.ok) throw new KimitsuError("invalid_request", `--since: ${read.message}`);
  return read.ms;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit;
  throw new KimitsuError("invalid_request", `--limit ${text} must be a whole number from 1 to ${LIMIT_MAX}`);
}

const NEWLY = { ask: "newly asked", allow: "newly allowed", deny: "newly denied" } as const;

function describe({ calls, changed, isCut }: Replay, since: string): string {
  const looked = `${calls} ${calls === 1 ? "call" : "calls"} of the last ${since}${isCut ? ", the newest; --limit looks at more" : ""}`;
  if (changed.length === 0) return `${looked}: all would be judged as they were.`;
  const counts = (["deny", "ask", "allow"] as const).flatMap((now) => {
    const count = changed.filter((call) => call.now === now).length;
    return count > 0 ? [`${count} ${NEWLY[now]}`] : [];
  });
  return [
    `${looked}: ${counts.join(", ")}, ${calls - changed.length} as before.`,
    "",
    formatTable(["NOW", "BEFORE", "CALLS", "AGENT", "TOOL", "BECAUSE", "LAST"], group(changed).map(toRow)),
  ].join("\n");
}

/** Calls that are judged differently for the same reason become one line. */
function group(changed: readonly ReplayedCall[]): ReplayedCall[][] {
  const groups = Object.groupBy(changed, ({ now, before, agent, tool, reason, source }) =>
    JSON.stringify([now, before, agent, tool, reason, source]),
  );
  return Object.values(groups)
    .flatMap((calls) => (calls ? [calls] : []))
    .toSorted((left, right) => right.length - left.length);
}

function toRow(calls: ReplayedCall[]): string[] {
  const [{ now, before, agent, tool, reason, source, callId }] = calls as [ReplayedCall];
  return [now, before, String(calls.length), agent, tool, source ? `${reason} (${source})` : reason, callId];
}
