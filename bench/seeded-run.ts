/** One run of the console's benchmark, determined by its number. */
import type { RunChange } from "@/lib/runs/changes/registry";
import { cancelRun } from "@/lib/runs/changes/run-cancelled";
import type { NewStep } from "@/lib/runs/changes/run-created";
import { endRun } from "@/lib/runs/changes/run-ended";
import type { NewApproval, NewCall } from "@/lib/runs/changes/turn-recorded";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { aCall, aDecision, aQuestion, aRun, aStep, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import type { MadeChange, SeededRun } from "@/lib/testing/write-runs";
import { PEOPLE } from "./seed-console";

/** Rare things are frequent enough at both sizes to fill a page; in the large one they are rarer. */
const RARE = 60;
/** One run every couple of minutes, the newest a moment ago, whatever the number of runs. */
const BETWEEN_MS = 150_000;
const DANGERS = ["low", "medium", "medium", "high", "critical"];

/** Numbers as ids that sort by them: the digits are letters of the ids' own alphabet. */
export const seededId = (prefix: string, number: number): string => `${prefix}_01${String(number).padStart(24, "0")}`;

/** A pseudo-random number that is the same each time. */
function chance(number: number, of: number, salt: number): number {
  let mixed = Math.imul(number * 31 + salt, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) % of;
}

/** One workflow, one agent and one tool are used more often than others, as in practice. */
function namesOf(number: number) {
  const isCommon = chance(number, 4, 27) === 0;
  return {
    workflow: `workflow-${chance(number, 5, 22) < 2 ? 3 : chance(number, 20, 2)}`,
    agent: `agent-${chance(number, 12, 23) === 0 ? 7 : chance(number, 30, 4)}`,
    server: `server-${isCommon ? 3 : chance(number, 8, 13)}`,
    tool: `tool-${isCommon ? 3 : chance(number, 60, 14)}`,
  };
}

type End = "waiting" | "review" | "running" | "failed" | "cancelled" | "complete";

function endOf(number: number, runs: number): End {
  const isRare = (salt: number) => chance(number, Math.ceil(runs / RARE), salt) === 0;
  if (chance(number, 10, 7) === 0) return "waiting";
  if (isRare(8)) return "review";
  if (number > runs - 5) return "running";
  if (chance(number, 6, 9) === 0) return "failed";
  return isRare(10) ? "cancelled" : "complete";
}

export function buildSeededRun(number: number, runs: number): SeededRun {
  const end = endOf(number, runs);
  const names = namesOf(number);
  const begun = new Date(Math.floor(Date.now() / 60_000) * 60_000 - (runs - number) * BETWEEN_MS);
  const starter = chance(number, PEOPLE, 3) + 1;
  const userId = seededId("usr", starter);
  const steps = [0, 1, 2].map((place) =>
    aStep({ id: seededId("step", number * 3 + place), key: `step-${place}`, agent: names.agent }),
  );
  const id = seededId("run", number);
  const run = aRun({
    ...{ id, workflow: names.workflow, version: `1.${Math.floor(number / 5000)}`, agents: [names.agent], steps },
    startedBy: { kind: "user", id: userId, name: `Person ${starter}` },
    startedByUserId: userId,
    params: { order: `A-${number}` },
  });
  const isExpensive = chance(number, Math.ceil(runs / RARE), 5) === 0;
  const costUsd = isExpensive ? 10 : chance(number, 1000, 6) / 10_000;
  return { run, at: begun, commits: commitsOf({ number, end, steps, names, begun, costUsd }) };
}

interface Facts {
  number: number;
  end: End;
  steps: readonly NewStep[];
  names: ReturnType<typeof namesOf>;
  begun: Date;
  costUsd: number;
}

function commitsOf(facts: Facts): MadeChange[][] {
  const { number, end, steps, begun, costUsd } = facts;
  const at = begun.toISOString();
  const [first, second, third] = steps;
  if (!first || !second || !third) throw new Error("unreachable: three steps were made");
  const turnOf = (step: NewStep, place: number) =>
    aTurn(step.id, {
      id: seededId("turn", number * 3 + place),
      model: `model-${chance(number, 5, 12)}`,
      costUsd: costUsd / 3,
      durationMs: 900,
    });
  const begin = (step: NewStep): RunChange => ({
    kind: "step_moved",
    at,
    move: { stepId: step.id, key: step.key, to: "running" },
  });
  const complete = (step: NewStep): RunChange => ({
    kind: "step_moved",
    at,
    move: { stepId: step.id, key: step.key, to: "complete", output: {} },
  });
  const started: RunChange = { kind: "run_claimed", at, worker: "wrk_seed", from: null, was: "pending" };
  const opening: MadeChange[] = [
    started,
    begin(first),
    turnRecordedAt(at, first.id, { turn: turnOf(first, 0) }),
    complete(first),
  ];
  const turn = turnOf(second, 1);
  const isAsked = end === "waiting" || chance(number, 5, 19) === 0;
  const calls = [0, 1].map((place) => callOf(facts, { place, stepId: second.id, turnId: turn.id, isAsked }));
  const approvals = isAsked ? calls.map((call, place) => questionOf(facts, call, place)) : [];
  const middle = [begin(second), turnRecordedAt(at, second.id, { turn, calls, approvals })];
  if (end === "waiting") return [opening, [...middle, park("pending_approval", at)]];
  const settled = calls.flatMap((call, place) => outcomeOf(facts, call, approvals[place]));
  const closing = [complete(second), begin(third), turnRecordedAt(at, third.id, { turn: turnOf(third, 2) })];
  return [opening, middle, settled, [...(end === "cancelled" ? [] : closing), ...endingOf(facts, third)]];
}

const park = (status: "pending_approval" | "needs_human_review", at: string): RunChange => ({
  ...{ kind: "run_parked", at, status, wakeAt: null, activeMs: 100, worker: "wrk_seed" },
});

function callOf(
  { number, names }: Facts,
  { place, stepId, turnId, isAsked }: { place: number; stepId: string; turnId: string; isAsked: boolean },
): NewCall {
  const { agent, server, tool } = names;
  const status = isAsked ? "pending_approval" : "approved";
  const id = seededId("call", number * 2 + place);
  return aCall(stepId, {
    id,
    turnId,
    agent,
    server,
    tool,
    status,
    arguments: { order: 1 },
    summary: `Changes order A-${number}`,
  });
}

function questionOf({ number, names, begun }: Facts, call: NewCall, place: number): NewApproval {
  const expires = chance(number, 2, 18) === 0 ? new Date(begun.getTime() + 400 * 86_400_000).toISOString() : null;
  return aQuestion(
    { ...call, danger: DANGERS[chance(number, 5, 16)] ?? "low" },
    {
      id: seededId("apr", number * 2 + place),
      workflow: names.workflow,
      approvers: chance(number, 3, 17) === 0 ? ["finance"] : [],
      expiresAt: expires,
    },
  );
}

function outcomeOf({ number, end, begun }: Facts, call: NewCall, approval: NewApproval | undefined): RunChange[] {
  const at = new Date(begun.getTime() + chance(number, 4000, 1) * 1000).toISOString();
  const { id: callId, digest } = call;
  const verdict = chance(number, 12, 15) === 0 ? "rejected" : "approved";
  const userId = seededId("usr", chance(number, PEOPLE, 20) + 1);
  const actor = { kind: "user", id: userId, name: "Person" } as const;
  const decision = aDecision(userId, { id: callId.replace("call", "dec"), verdict, digest });
  const decided: RunChange[] = approval
    ? [
        {
          kind: "approval_decided",
          at,
          approvalId: approval.id,
          callId,
          decision,
          argumentsDigest: digest,
          edited: null,
          actor,
        },
      ]
    : [];
  if (approval && verdict === "rejected") return decided;
  const sent: RunChange = { kind: "call_executing", at, callId, digest, epoch: 1, warnsOfBudget: false };
  const ended: RunChange =
    end === "cancelled"
      ? { kind: "call_unknown", at, callId, isCommitLost: false }
      : {
          kind: "call_ended",
          at,
          callId,
          status: "succeeded",
          result: {},
          error: null,
          durationMs: 1000,
          refundUsd: 0,
        };
  return [...decided, sent, ended];
}

function endingOf({ end, begun }: Facts, last: NewStep): MadeChange[] {
  const at = new Date(begun.getTime() + 60_000).toISOString();
  const move = (to: "complete" | "needs_human_review"): RunChange => ({
    ...{ kind: "step_moved", at, move: { stepId: last.id, key: last.key, to, output: {} } },
  });
  switch (end) {
    case "running":
    case "waiting":
      return [];
    case "review":
      return [move("needs_human_review"), park("needs_human_review", at)];
    case "cancelled":
      return [(snapshot) => cancelRun(snapshot, { reason: null, actor: SYSTEM_ACTOR, at })];
    case "failed": {
      const error = { code: "tool_failed", message: "The shop did not answer" };
      return [(snapshot) => endRun(snapshot, { end: { status: "failed", error }, activeMs: 900, at })];
    }
    case "complete":
      return [
        move("complete"),
        (snapshot) => endRun(snapshot, { end: { status: "complete", output: {} }, activeMs: 900, at }),
      ];
  }
}
