/** Judges the call of a client before anything of it is on record, by the policy that judges the calls of agents. */
import { createHash } from "node:crypto";
import { CLIENT_STEP } from "@/lib/config/profile-parts";
import type { ProjectProfile } from "@/lib/config/project";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import type { ClientCaller, ClientCallRequest } from "@/lib/proxy/client-calls";
import { agentOfStep } from "@/lib/runs/advance/agent-of-step";
import type { AgentWithTools } from "@/lib/runs/advance/agent-tools";
import { prepareCalls } from "@/lib/runs/advance/prepare-calls";
import { listFor } from "@/lib/runs/advance/run-client-call";
import { createSecretResolver, envScope, type RunContext, type RunWrites } from "@/lib/runs/advance/run-context";
import type { RunDeps } from "@/lib/runs/advance/run-deps";
import { RunMemory } from "@/lib/runs/advance/run-memory";
import { applyChange, type RunChange } from "@/lib/runs/changes/registry";
import { createRun, emptySnapshot, type NewRun } from "@/lib/runs/changes/run-created";
import type { NewApproval, NewCall } from "@/lib/runs/changes/turn-recorded";
import { createClientIds } from "@/lib/runs/client-calls/ids";
import { NO_HEAD } from "@/lib/runs/journal/entry";
import type { OpenRun } from "@/lib/runs/journal/open-run";
import { NO_PACE } from "@/lib/runs/journal/pace";

/** Over everything that makes two calls of a token the same one. */
const clientKeyOf = (tokenId: string, { server, tool }: ClientCallRequest, digest: string): Buffer =>
  createHash("sha256")
    .update(JSON.stringify([tokenId, server, tool, digest]))
    .digest();

/** The name on the trail for what no worker has to do. */
export const NO_WORKER = "web";
/** As a claim would set it on a new row. */
export const FIRST_EPOCH = 1;

export interface JudgedCall {
  agent: AgentWithTools;
  call: NewCall;
  approval: NewApproval | null;
  /** The run as it will be, with `changes` applied. */
  open: OpenRun;
  stepId: string;
  changes: RunChange[];
  profile: ProjectProfile;
  clientKey: Buffer;
}

export interface AskedCall {
  caller: ClientCaller;
  request: ClientCallRequest;
  profile: ProjectProfile;
}

export async function judgeClientCall(deps: RunDeps, asked: AskedCall): Promise<JudgedCall> {
  const { caller, request, profile } = asked;
  const { runId, callId } = createClientIds();
  const loaded = deps.projects.current();
  const { workflow } = profile;
  const stepId = createId("step");
  const at = deps.now().toISOString();
  const created = createRun(toNewRun(asked, { runId, stepId, hash: loaded.project.hash }), at);
  const open: OpenRun = {
    snapshot: emptySnapshot(runId),
    head: NO_HEAD,
    pace: NO_PACE,
    leaseOwner: null,
    epoch: FIRST_EPOCH,
    wakeAt: null,
    openSecrets: () => ({}),
  };
  const changes: RunChange[] = [created];
  applyChange(open.snapshot, created);
  const memory = new RunMemory({ runId, owner: NO_WORKER, epoch: FIRST_EPOCH }, open);
  const { signal } = new AbortController();
  const context: RunContext = {
    deps,
    memory,
    loaded,
    workflow,
    secrets: createSecretResolver({ project: loaded.project, workflow }, memory, deps.processEnv),
    signal,
    turnSignal: signal,
    writes: collect(open, changes),
    isFresh: () => true,
    activeMs: () => 0,
    runFrame: () => Promise.reject(new Error("unreachable: the run of a client has no sub-workflow")),
  };
  const env = envScope(loaded.project, workflow, deps.processEnv);
  const work = agentOfStep(context, { workflow, step: workflow.steps[0]!, scope: { params: {}, step: {}, env } });
  const agent = await listFor(context, work, request).catch((error: unknown) => withoutServer(work, error));
  const { call, approval } = prepare(context, agent, { stepId, callId, request });
  const clientKey = clientKeyOf(caller.token.id, request, call.digest);
  return { agent, call, approval, open, stepId, changes, profile, clientKey };
}

function toNewRun(
  { caller, request, profile }: AskedCall,
  { runId, stepId, hash }: { runId: string; stepId: string; hash: string },
): NewRun {
  const { token, user } = caller;
  return {
    id: runId,
    workflow: profile.workflow.name,
    version: "",
    configHash: hash,
    startedBy: { kind: "token", id: token.id, name: token.name, userId: user.id },
    startedByUserId: user.id,
    starterIds: [user.id],
    retryOfRunId: null,
    sessionId: caller.sessionId,
    params: { tool: `${request.server}.${request.tool}`, client: caller.client },
    secrets: null,
    agents: [profile.agent.name],
    costBudgetUsd: null,
    steps: [{ id: stepId, key: CLIENT_STEP, type: "agent", agent: profile.agent.name }],
  };
}

/** What is found out before the run is on record goes into its first row. */
function collect(run: OpenRun, changes: RunChange[]): RunWrites {
  const add = async (change: RunChange) => {
    applyChange(run.snapshot, change);
    changes.push(change);
  };
  const refuse = () => Promise.reject(new Error("unreachable: nothing of this run is on record yet"));
  return { run, now: add, later: add, try: refuse, flush: () => Promise.resolve() };
}

/** Its server cannot be reached: nothing is known of its tools, so the policy sees a server without any. */
function withoutServer(work: AgentWithTools["work"], error: unknown): AgentWithTools & { away: string } {
  if (!(error instanceof KimitsuError)) throw error;
  return { work, tools: { servers: new Map(), hasLock: false, granted: [] }, away: error.message };
}

function prepare(
  context: RunContext,
  agent: AgentWithTools & { away?: string },
  { stepId, callId, request }: { stepId: string; callId: string; request: ClientCallRequest },
): Pick<JudgedCall, "call" | "approval"> {
  const { server, tool, arguments: args } = request;
  const turn = { text: "", toolCalls: [{ id: callId, name: `${server}.${tool}`, arguments: args as never }] };
  const refuse = () => {
    throw new Error("unreachable: a client has no sub-agents and no toolsets of ours");
  };
  const { calls, approvals } = prepareCalls(context, agent, {
    stepId,
    callId,
    turnId: null,
    parentCallId: null,
    turn,
    kept: turn,
    offered: { find: () => ({ server, tool }), schemaOf: refuse, answer: refuse },
    withTools: true,
  });
  const [call] = calls;
  if (!call) throw new Error("unreachable: the call of a client was not prepared");
  const row = { ...call, modelCallId: null };
  if (agent.away === undefined) return { call: row, approval: approvals[0] ?? null };
  const error = { code: "not_sent_unreachable", message: `${server}.${tool} was not called: ${agent.away}` };
  return { call: { ...row, status: "failed", error }, approval: null };
}
