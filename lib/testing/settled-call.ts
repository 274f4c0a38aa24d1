/** A run with one call whose outcome was unknown for a while, at times of the test's choosing. */
import type { Db } from "@/lib/database/client";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import type { RunChange } from "@/lib/runs/changes/registry";
import { aCall, aRun, aStep, aTurn, turnRecordedAt } from "@/lib/testing/changes";
import { keepTestVersion, writeRuns } from "@/lib/testing/write-runs";

export interface SettledCall {
  sentAt: Date;
  unknownAt: Date;
  settledAt: Date;
  /** It did not happen, and was sent again; without this a person said that it had happened. */
  sentAgain?: { at: Date; endedAt: Date };
}

export async function buildSettledCall(
  db: Db,
  times: SettledCall,
): Promise<{ runId: string; stepId: string; callId: string }> {
  const step = aStep();
  const turn = aTurn(step.id);
  const call = aCall(step.id, { turnId: turn.id });
  const run = aRun({ steps: [step] });
  const callId = call.id;
  const at = (date: Date) => date.toISOString();
  const send = (date: Date): RunChange => ({
    kind: "call_executing",
    at: at(date),
    callId,
    digest: call.digest,
    epoch: 1,
    warnsOfBudget: false,
  });
  const { sentAt, unknownAt, settledAt, sentAgain } = times;
  const settled = { kind: "call_settled", at: at(settledAt), callId, comment: null, actor: SYSTEM_ACTOR } as const;
  const ended = {
    kind: "call_ended",
    callId,
    status: "succeeded",
    result: {},
    error: null,
    durationMs: 1,
    refundUsd: 0,
  } as const;
  const commits: RunChange[][] = [
    [{ kind: "run_claimed", at: at(sentAt), worker: "wrk_test", from: null, was: "pending" }],
    [turnRecordedAt(at(sentAt), step.id, { turn, calls: [call] })],
    [send(sentAt)],
    [{ kind: "call_unknown", at: at(unknownAt), callId, isCommitLost: false }],
    [sentAgain ? { ...settled, to: "approved" } : { ...settled, to: "succeeded", result: {} }],
    ...(sentAgain ? [[send(sentAgain.at)], [{ ...ended, at: at(sentAgain.endedAt) }]] : []),
  ];
  await keepTestVersion(db);
  await writeRuns(db, [{ run, at: sentAt, commits }]);
  return { runId: run.id, stepId: step.id, callId };
}
