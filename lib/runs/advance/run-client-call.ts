/**
 * The one step of a run that an MCP client has made by a call: the call is on record from the start, and is brought to
 * its end here. Whoever waits for it in this process is told at once, before the end is on record.
 */
import { type AgentAtWork, type AgentWithTools, listAgentTools } from "@/lib/runs/advance/agent-tools";
import { dispatchCall } from "@/lib/runs/advance/dispatch-call";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { StepOutcome, Waiting } from "@/lib/runs/advance/step-outcome";
import { isServerAway, restOfWait, waitOrGiveUp } from "@/lib/runs/advance/wait-for-server";
import { signalClientCall } from "@/lib/runs/client-calls/signals";
import { toClientState } from "@/lib/runs/client-calls/to-client-state";
import { isCallSettled } from "@/lib/runs/rules/call-state";
import type { CallRow, RunSnapshot, StepRow } from "@/lib/runs/snapshot";

/** What a call was judged with a moment ago, so that it need not be read again to send it. */
const judgedWith = new WeakMap<RunSnapshot, AgentWithTools>();
export const keepJudgedWith = (snapshot: RunSnapshot, agent: AgentWithTools): void =>
  void judgedWith.set(snapshot, agent);

export async function runClientCall(
  context: RunContext,
  { row, work }: { row: StepRow; work: AgentAtWork },
): Promise<StepOutcome> {
  const { memory, signal } = context;
  for (;;) {
    const call = callOf(memory.snapshot, row);
    if (isCallSettled(call.status)) {
      signalClientCall(toClientState(memory.snapshot));
      return outcomeOf(call);
    }
    const waiting =
      waitOf(call) ??
      (signal.aborted || memory.failing ? STOP : restOfWait(context, call)) ??
      (await send(context, work, call));
    if (waiting) return { kind: "waiting", waiting: [waiting] };
  }
}

const STOP: Waiting = { for: "stop" };

export function callOf({ run, calls }: RunSnapshot, { id }: Pick<StepRow, "id">): CallRow {
  const call = [...calls.values()].find(({ stepId }) => stepId === id);
  if (!call) throw new Error(`unreachable: run ${run.id} of a client has no call`);
  return call;
}

function waitOf({ status }: CallRow): Waiting | null {
  if (status === "pending_approval") return { for: "approval" };
  return status === "outcome_unknown" ? { for: "review" } : null;
}

async function send(context: RunContext, work: AgentAtWork, call: CallRow): Promise<Waiting | null> {
  const { memory } = context;
  const isBegun = call.status === "executing" && call.epoch === memory.lease.epoch;
  try {
    const agent = (isBegun ? judgedWith.get(memory.snapshot) : undefined) ?? (await listFor(context, work, call));
    return await dispatchCall(context, agent, { call, isBegun });
  } catch (error) {
    const away = isServerAway(error) ? await waitOrGiveUp(context, call, error.message) : null;
    if (!away) throw error;
    return away.waiting;
  }
}

/** Only the server of the call: that another one is away must not matter to it. */
export async function listFor(
  context: RunContext,
  work: AgentAtWork,
  { server }: Pick<CallRow, "server">,
): Promise<AgentWithTools> {
  const agent = { ...work.agent, servers: work.agent.servers.filter(({ name }) => name === server) };
  const own = { ...work, agent };
  return { work: own, tools: await listAgentTools(context, own) };
}

/** Everything but a success fails the run, so that lists say what became of the call. */
function outcomeOf({ id, status, error, approval }: CallRow): StepOutcome {
  // The result is on record with the call, and is not stored once more as the output of step and run.
  if (status === "succeeded") return { kind: "complete", output: { call_id: id } };
  const reason = error?.message ?? approval?.reason ?? "";
  return {
    kind: "failed",
    error: { code: error?.code ?? status, message: reason === "" ? `The call was ${status}.` : reason },
  };
}
