/**
 * Writes the run of a client's call in one commit, however the policy answered: refused, asked, or sent at once by this
 * process. The run then goes on like every other.
 */
import { KimitsuError } from "@/lib/errors";
import { LEASE_MS } from "@/lib/limits";
import type { ClientCaller, ClientCallRequest } from "@/lib/proxy/client-calls";
import { explainOverspend } from "@/lib/policy/judge-budget";
import { keepJudgedWith } from "@/lib/runs/advance/run-client-call";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { executeCall } from "@/lib/runs/changes/call-executing";
import { callOf } from "@/lib/runs/changes/move";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { endRun } from "@/lib/runs/changes/run-ended";
import { recordTurn } from "@/lib/runs/changes/turn-recorded";
import {
  type AskedCall,
  FIRST_EPOCH,
  judgeClientCall,
  type JudgedCall,
  NO_WORKER,
} from "@/lib/runs/client-calls/judge-client-call";
import { sessionKeyOf } from "@/lib/runs/client-calls/close-client-key";
import { findRunByKey, findSessionSpending } from "@/lib/runs/client-calls/find-client-run";
import type { Claimer } from "@/lib/runs/journal/claim-run";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import { type ClientStart, writeClientRun } from "@/lib/runs/journal/start-client-run";
import { keepProject, type StartDeps } from "@/lib/runs/start-run";
import { recordRunStarted } from "@/lib/telemetry/record-run";

export type ClientDeps = RunDeps & StartDeps;

/** `same`: a call like it is open, and answers this request too. */
export type Started = { kind: "started"; run: OpenRun } | { kind: "same"; clientKey: Buffer };

export async function startClientCall(
  deps: ClientDeps,
  caller: ClientCaller,
  request: ClientCallRequest,
): Promise<Started> {
  const askedAt = new Date();
  const { project } = deps.projects.current();
  const profile = Object.hasOwn(project.profiles, caller.profile) ? project.profiles[caller.profile] : undefined;
  if (!profile) throw new KimitsuError("not_found", `There is no profile ${caller.profile} in the project any more.`);
  await deps.queue.require();
  await keepProject(deps, project);
  const started = await tryToStart(deps, { caller, request, profile });
  if (started.kind === "started")
    recordRunStarted({ runId: started.run.snapshot.run.id, workflow: profile.workflow.name, startedAt: askedAt });
  return started;
}

interface HowToStart {
  /** False after a refusal: its worker then sends it when it may be sent. */
  mayBegin: boolean;
  /** Why the session's budget does not cover it. */
  overspend: string | null;
}

async function tryToStart(deps: ClientDeps, asked: AskedCall): Promise<Started> {
  let how: HowToStart = { mayBegin: true, overspend: null };
  for (;;) {
    const judged = await judgeClientCall(deps, asked);
    if (how.overspend !== null) refuse(judged, how.overspend);
    if (await write(deps, judged, how.mayBegin)) return { kind: "started", run: judged.open };
    for (const clientKey of [judged.clientKey, sessionKeyOf(judged.clientKey, asked.caller.sessionId)])
      if ((await findRunByKey(deps.db, clientKey)) !== null) return { kind: "same", clientKey };
    const overspend = await findOverspend(deps, judged);
    if (!how.mayBegin && overspend === how.overspend)
      throw new KimitsuError("conflict", "The call could not be recorded, so it was not made. Make it again.");
    how = { mayBegin: false, overspend };
  }
}

/** True when it is on record, and whoever has to goes on with it. */
async function write(deps: ClientDeps, judged: JudgedCall, mayBegin: boolean): Promise<boolean> {
  const { open, agent, call } = judged;
  const { id: runId } = open.snapshot.run;
  const slot = call.status === "approved" ? (deps.workerSlot?.(runId) ?? null) : null;
  const claimer = slot && { owner: slot.owner, leaseMs: LEASE_MS };
  const isWritten = await writeClientRun(deps.db, toStart(deps, judged, { claimer, mayBegin })).catch(
    async (error: unknown) => {
      await slot?.leave();
      throw error;
    },
  );
  if (!slot || !isWritten) await slot?.leave();
  else {
    keepJudgedWith(open.snapshot, agent);
    slot.take({ lease: { runId, owner: slot.owner, epoch: FIRST_EPOCH }, run: open });
  }
  if (isWritten && !slot && call.status === "approved") deps.wake(runId);
  return isWritten;
}

function toStart(
  deps: ClientDeps,
  judged: JudgedCall,
  { claimer, mayBegin }: { claimer: Claimer | null; mayBegin: boolean },
): ClientStart {
  const { open, call, changes, clientKey } = judged;
  const now = deps.now();
  const isOpen = call.status === "approved" || call.status === "pending_approval";
  const add = (change: RunChange) => {
    applyChange(open.snapshot, change);
    changes.push(change);
  };
  addFirstChanges(judged, { add, at: now.toISOString(), claimer, mayBegin });
  // Nobody has had a run that only waits for a worker.
  if (call.status === "approved" && !claimer) open.epoch = 0;
  const key = isOpen ? { clientKey, sessionKey: sessionKeyOf(clientKey, open.snapshot.run.sessionId ?? "") } : null;
  return { run: open, changes, key, claimer, charge: chargeOf(judged), at: now };
}

function addFirstChanges(
  { open, stepId, call, approval, agent }: JudgedCall,
  how: { add: (change: RunChange) => void; at: string; claimer: Claimer | null; mayBegin: boolean },
): void {
  const { add, at, claimer, mayBegin } = how;
  const { snapshot } = open;
  const isLeftToWorker = call.status === "approved" && !claimer;
  if (!isLeftToWorker)
    add({ kind: "run_claimed", at, worker: claimer?.owner ?? NO_WORKER, from: null, was: "pending" });
  add({ kind: "step_moved", at, move: { stepId, key: snapshot.steps.get(stepId)!.key, to: "running" } });
  const approvals = approval ? [approval] : [];
  add(recordTurn(snapshot, { at, stepId, turn: null, calls: [call], approvals, stepState: {} }));
  if (call.status === "pending_approval")
    return add({ kind: "run_parked", at, status: "pending_approval", wakeAt: null, activeMs: 0 });
  if (call.status === "approved") {
    const hasRate = agent.tools.servers.get(call.server)?.entry.server.definition.rate_limit !== undefined;
    if (claimer && mayBegin && !hasRate)
      add(executeCall(snapshot, callOf(snapshot, call.id), { epoch: FIRST_EPOCH, at }));
    return;
  }
  const { code, message } = call.error ?? { code: call.status, message: `The call was ${call.status}.` };
  const error = { code, message };
  add({ kind: "step_moved", at, move: { stepId, key: snapshot.steps.get(stepId)!.key, to: "failed", error } });
  add(endRun(snapshot, { end: { status: "failed", error }, activeMs: 0, at }));
}

function chargeOf({ open, call, profile }: JudgedCall): ClientStart["charge"] {
  const { sessionId } = open.snapshot.run;
  const { session_budget_usd: limitUsd } = profile.definition;
  const isOpen = call.status === "approved" || call.status === "pending_approval";
  if (!isOpen || call.costUsd === 0 || limitUsd === undefined || sessionId === null) return null;
  return { sessionId, costUsd: call.costUsd, limitUsd };
}

async function findOverspend({ db }: ClientDeps, judged: JudgedCall): Promise<string | null> {
  const charge = chargeOf(judged);
  if (!charge) return null;
  const usedUsd = await findSessionSpending(db, charge.sessionId);
  if (usedUsd + charge.costUsd <= charge.limitUsd) return null;
  return explainOverspend({ usedUsd, estimatedUsd: charge.costUsd, limitUsd: charge.limitUsd });
}

/** The same answer that the policy gives when a run's own budget does not cover a call. */
function refuse(judged: JudgedCall, reason: string): void {
  const { call } = judged;
  const source = { file: judged.profile.file, line: 1, column: 1 };
  const trace = [...(call.trace as object[]), { layer: "budget", outcome: "deny", reason, source }];
  judged.call = { ...call, status: "denied", error: { code: "budget_exceeded", message: reason }, trace };
  judged.approval = null;
}
