import { randomBytes } from "node:crypto";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import { endRun } from "@/lib/runs/changes/run-ended";
import { aCall, aRun, aStep, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import { projectAll } from "@/lib/testing/project-all";
import { keepTestVersion, type MadeChange, writeRuns } from "@/lib/testing/write-runs";
import type { Person } from "./fixtures";

const EVENTS_OF_TURN = 4;
/** The run is created and started, its step and the run itself end. */
const EVENTS_AROUND = 4;

const starterOf = ({ id, name, actor }: Person) => ({ startedBy: { ...actor, id, name }, startedByUserId: id });

/** A number of runs of one workflow, oldest first, as long use would leave them. */
export async function seedRuns(
  deps: EngineDeps,
  by: Person,
  wanted: number | { count: number; begunAt: (index: number) => Date },
): Promise<{ workflow: string; ids: string[] }> {
  const { count, begunAt } = typeof wanted === "number" ? { count: wanted, begunAt: deps.now } : wanted;
  const workflow = `long-${randomBytes(4).toString("hex")}`;
  const error = { code: "tool_failed", message: "The shop did not answer" };
  const told = Array.from({ length: count }, (_, index) => {
    const step = aStep();
    const begun = begunAt(index);
    const at = begun.toISOString();
    const end =
      index % 10 === 0 ? ({ status: "failed", error } as const) : ({ status: "complete", output: null } as const);
    const turn = aTurn(step.id, { costUsd: index / 1000 });
    const commits: MadeChange[][] = [
      [{ kind: "run_claimed", at, worker: "wrk_seed", from: null, was: "pending" }],
      [turnRecordedAt(at, step.id, { turn })],
      [
        {
          kind: "step_moved",
          at,
          move: { stepId: step.id, key: step.key, to: end.status, ...("error" in end && { error }) },
        },
      ],
      [(snapshot) => endRun(snapshot, { end, activeMs: 1200, at })],
    ];
    return { run: aRun({ workflow, steps: [step], ...starterOf(by) }), at: begun, commits };
  });
  await keepTestVersion(deps.db);
  await writeRuns(deps.db, told);
  await projectAll(deps.db);
  return { workflow, ids: told.map(({ run }) => run.id) };
}

/**
 * A run that has turned, called and asked for days: one step, so many turns with a call each, and a trail of so many
 * events, or of those that its turns leave where these are more.
 */
export async function seedBusyRun(
  deps: EngineDeps,
  by: Person,
  { turns, events }: { turns: number; events: number },
): Promise<string> {
  const [step, end] = [aStep(), deps.now()];
  const begun = new Date(end.getTime() - turns * 2000);
  const run = aRun({ workflow: `long-${randomBytes(4).toString("hex")}`, steps: [step], ...starterOf(by) });
  const at = end.toISOString();
  const tellTurn = (index: number): MadeChange[] => {
    const start = begun.getTime() + index * 2000;
    const turn = aTurn(step.id, { number: index + 1, response: { text: `Turn ${index + 1}` }, durationMs: 1000 });
    const call = aCall(step.id, { turnId: turn.id, server: "shop", tool: "look-up", danger: "low" });
    const [asked, ended] = [new Date(start).toISOString(), new Date(start + 400).toISOString()];
    const result = { output: "ok" };
    return [
      turnRecordedAt(asked, step.id, { turn, calls: [call] }),
      { kind: "call_executing", at: asked, callId: call.id, digest: call.digest, epoch: 1, warnsOfBudget: false },
      {
        kind: "call_ended",
        at: ended,
        callId: call.id,
        status: "succeeded",
        result,
        error: null,
        durationMs: 400,
        refundUsd: 0,
      },
    ];
  };
  const told = Array.from({ length: turns }, (_, index) => tellTurn(index));
  // What is missing beside those of the turns, and of the beginning and the end, is of a kind that changes nothing.
  const more = Math.max(events - turns * EVENTS_OF_TURN - EVENTS_AROUND, 0);
  const notes = Array.from({ length: more }, (): MadeChange => ({
    kind: "server_missed",
    at,
    server: `s-${createId("request")}`,
    message: "away",
  }));
  const commits: MadeChange[][] = [
    [{ kind: "run_claimed", at: begun.toISOString(), worker: "wrk_seed", from: null, was: "pending" }],
    ...told,
    ...(notes.length > 0 ? [notes] : []),
    [{ kind: "step_moved", at, move: { stepId: step.id, key: step.key, to: "complete" } }],
    [(snapshot) => endRun(snapshot, { end: { status: "complete", output: null }, activeMs: 1200, at })],
  ];
  await keepTestVersion(deps.db);
  await writeRuns(deps.db, [{ run, at: begun, commits }]);
  await projectAll(deps.db);
  return run.id;
}
