/**
 * Brings the calls of one turn to their ends: permitted calls run in parallel; those that wait for people run the
 * moment they are approved, even while others are still in progress. Every call ends with exactly one outcome.
 */
import type { AgentAtWork, AgentTools } from "@/lib/runs/advance/agent-tools";
import { dispatchCall } from "@/lib/runs/advance/dispatch-call";
import { AGENTS_SERVER } from "@/lib/runs/rules/call-state";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { runTogether } from "@/lib/runs/advance/run-together";
import type { Waiting } from "@/lib/runs/advance/step-outcome";
import { isServerAway, restOfWait, waitOrGiveUp } from "@/lib/runs/advance/wait-for-server";
import type { CallRow } from "@/lib/runs/snapshot";

export type RunSubagent = (call: CallRow) => Promise<Waiting[]>;

/** Empty when all calls have their outcome. */
export async function runCalls(
  context: RunContext,
  turnId: string,
  { work, tools, runSubagent }: { work: AgentAtWork; tools: () => Promise<AgentTools>; runSubagent: RunSubagent },
): Promise<Waiting[]> {
  const { memory, signal } = context;
  const ready = () => memory.callsOfTurn(turnId).filter((call) => isReady(call, memory.lease.epoch));
  const isStopping = () => signal.aborted || memory.failing;
  const dispatch = async (call: CallRow): Promise<Waiting | null> => {
    try {
      return await dispatchCall(context, { work, tools: await tools() }, { call });
    } catch (error) {
      const away = isServerAway(error) ? await waitOrGiveUp(context, call, error.message) : null;
      if (!away) throw error;
      return away.waiting;
    }
  };
  const send = async (call: CallRow): Promise<Waiting[]> => {
    if (call.server === AGENTS_SERVER) return runSubagent(call);
    const waiting = restOfWait(context, call) ?? (await dispatch(call));
    return waiting ? [waiting] : [];
  };
  const waits = await runTogether(memory, {
    ready: () => ready().map((call) => [call.id, () => send(call)] as const),
    isStopping,
  });
  if (isStopping() && ready().length > 0) return [{ for: "stop" }];
  return waits.concat(memory.callsOfTurn(turnId).flatMap(waitOf));
}

/**
 * `executing` from an earlier epoch was left by a dead worker; calls that may not be sent twice are marked before this.
 * A sub-agent is `executing` all the time that it works, including its waiting, and resumes where it was.
 */
function isReady(call: CallRow, epoch: number): boolean {
  if (call.server === AGENTS_SERVER && call.status === "executing") return true;
  return call.status === "approved" || (call.status === "executing" && call.retrySafe && (call.epoch ?? 0) < epoch);
}

function waitOf(call: CallRow): Waiting[] {
  if (call.status === "pending_approval") return [{ for: "approval" }];
  if (call.status === "outcome_unknown") return [{ for: "review" }];
  return [];
}
