/**
 * On an empty database the demo starts a few of its own workflows, under its own name, so that the first person to sign
 * in finds calls that wait, runs that ended and one that failed. It does nothing if there is any run, or another
 * process has started it.
 */
import type { Actor } from "@/lib/people/rules/actor";
import { type StartDeps, startRun } from "@/lib/runs/start-run";
import { hasRuns } from "@/lib/runs/queries/has-runs";
import { writeSettingOnce } from "@/lib/database/write-setting";

export const DEMO_ACTOR: Actor = { kind: "system", id: "demo", name: "Demo" };

/** Listed from oldest to newest. */
const RUNS: readonly { workflow: string; params: Record<string, unknown> }[] = [
  { workflow: "morning-round", params: {} },
  // Names an order that the shop does not have: this one fails, and says why.
  { workflow: "support", params: { ticket_id: "T-318" } },
  { workflow: "support", params: { ticket_id: "T-311" } },
  { workflow: "support", params: { ticket_id: "T-315" } },
  { workflow: "support", params: { ticket_id: "T-310" } },
];

export async function startDemoRuns(deps: StartDeps): Promise<number> {
  const { workflows } = deps.projects.current().project;
  // Someone who has adapted the demo project has other workflows, and wants no runs of ours.
  if (!RUNS.every(({ workflow }) => Object.hasOwn(workflows, workflow)) || (await hasRuns(deps.db))) return 0;
  if (!(await writeSettingOnce(deps.db, { key: "demo.started", value: { runs: RUNS.length } }, deps.now()))) return 0;
  for (const { workflow, params } of RUNS) await startRun(deps, { workflow, params, actor: DEMO_ACTOR });
  return RUNS.length;
}
