/**
 * Brings the calls of one turn to their ends: those that may run do, in parallel; those that wait for people are waited for, and
 * run the moment they are let through, also while others are still under way. Every call ends with exactly one outcome.
 */
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import { dispatchCall } from "@/lib/engine/advance/dispatch-call";
import { AGENTS_SERVER } from "@/lib/engine/advance/offer-tools";
import type { RunContext } from "@/lib/engine/advance/run-context";
import type { Waiting } from "@/lib/engine/advance/step-outcome";
import type { CallRow } from "@/lib/store/queries/load-run";

export type RunSubagent = (call: CallRow) => Promise<Waiting[]>;

/** Empty when all calls have their outcome. */
export async function runCalls(context: RunContext, work: AgentAtWork, tools: () => Promise<AgentTools>, turnId: string, runSubagent: RunSubagent): Promise<Waiting[]> {
  const { memory, signal } = context;
  const underWay = new Map<string, Promise<void>>();
  const waits = new Map<string, Waiting[]>();
  let failure: { error: unknown } | undefined;
  const start = (call: CallRow) => {
    const send = async () => {
      const waiting = call.server === AGENTS_SERVER ? await runSubagent(call) : await dispatchCall(context, work, await tools(), call);
      const list = [waiting ?? []].flat();
      if (list.length > 0) waits.set(call.id, list);
    };
    const ended = send()
      .catch((error: unknown) => void (failure ??= { error }))
      .finally(() => underWay.delete(call.id));
    underWay.set(call.id, ended);
  };
  for (;;) {
    const changed = memory.changed;
    const calls = memory.callsOfTurn(turnId);
    const ready = calls.filter((call) => isReady(call, memory.lease.epoch) && !underWay.has(call.id) && !waits.has(call.id));
    const isStopping = signal.aborted || memory.failing || failure !== undefined;
    if (!isStopping) ready.forEach(start);
    if (underWay.size === 0) {
      if (failure) throw failure.error;
      if (isStopping && ready.length > 0) return [{ for: "stop" }];
      return [...waits.values()].flat().concat(calls.flatMap(waitOf));
    }
    await Promise.race([...underWay.values(), changed]);
  }
}

/** `executing` from an earlier epoch was left by a worker that died; those that may not be sent twice are marked before this. */
function isReady(call: CallRow, epoch: number): boolean {
  return call.status === "approved" || (call.status === "executing" && call.retrySafe && (call.epoch ?? 0) < epoch);
}

function waitOf(call: CallRow): Waiting[] {
  if (call.status === "pending_approval") return [{ for: "approval" }];
  if (call.status === "outcome_unknown") return [{ for: "review" }];
  return [];
}
