/**
 * A person's approval must not be lost because a tool server restarts. An approved call of which nothing was sent,
 * because its server is away, stays approved; the run is parked between the tries and holds nothing meanwhile, so a
 * cancel ends the wait. A call that no person has approved fails at once: the agent gets the error and can repeat the
 * call. An agent that cannot work without the server waits in the same way.
 */
import { SERVER_AWAY } from "@/lib/runs/rules/call-state";
import { SERVER_AWAY_WAITS_MS } from "@/lib/limits";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { Waiting } from "@/lib/runs/advance/step-outcome";
import type { CallRow, ServerWait } from "@/lib/runs/snapshot";
import { ServerUnreachable } from "@/lib/tools/tool-pool";

const TRIES_MAX = SERVER_AWAY_WAITS_MS.length + 1;

/** Until when a call must not be tried, whatever else has woken its run; null when it may be. */
export function restOfWait({ deps }: RunContext, call: CallRow): Waiting | null {
  return restOf(waitOf(call), deps.now());
}

function restOf(wait: ServerWait | null, now: Date): Waiting | null {
  const until = wait && new Date(wait.until);
  return until && until > now ? { for: "time", until } : null;
}

/** The next wait; null when it was tried often enough. */
function nextWait(before: ServerWait | null, now: Date, message: string): { wait: ServerWait; until: Date } | null {
  const tries = (before?.tries ?? 0) + 1;
  const waitMs = SERVER_AWAY_WAITS_MS[tries - 1];
  if (waitMs === undefined) return null;
  const until = new Date(now.getTime() + waitMs);
  const wait = {
    code: SERVER_AWAY,
    tries,
    until: until.toISOString(),
    message: `${message} ${tries + 1} of ${TRIES_MAX} follows at ${until.toISOString().slice(11, 19)} UTC.`,
  } as const;
  return { wait, until };
}

/**
 * Null when the call is not one to wait for, or has been tried often enough. `refundUsd` is what this try was charged.
 */
export async function waitForServer(
  { deps, memory, writes }: RunContext,
  call: CallRow,
  { message, refundUsd = 0 }: { message: string; refundUsd?: number },
): Promise<Waiting | null> {
  const next = isPrecious(call) ? nextWait(waitOf(call), deps.now(), `${message} The approval stands: try`) : null;
  if (!next) return null;
  const { wait, until } = next;
  const begun = memory.calls.get(call.id)?.status === "executing";
  await writes.now({ kind: "call_not_sent", at: deps.now().toISOString(), callId: call.id, begun, refundUsd, wait });
  return { for: "time", until };
}

/**
 * For a call that was not begun: waits, or gives it up when it was tried often enough. `null` when it is not one to
 * wait for.
 */
export async function waitOrGiveUp(
  context: RunContext,
  call: CallRow,
  message: string,
): Promise<{ waiting: Waiting | null } | null> {
  if (!isPrecious(call) || call.status !== "approved") return null;
  const waiting = await waitForServer(context, call, { message });
  if (waiting) return { waiting };
  const { deps, writes } = context;
  const error = { code: "not_sent_unreachable", message };
  await writes.now({ kind: "call_given_up", at: deps.now().toISOString(), callId: call.id, error });
  return { waiting: null };
}

/** For a step whose agent could not list its tools; null when it was tried often enough. */
export async function waitAtStep(
  { deps, memory, writes }: RunContext,
  { stepId, stepKey }: { stepId: string; stepKey: string },
  message: string,
): Promise<Waiting | null> {
  const before = waitOf({ error: memory.steps.get(stepId)?.error ?? null });
  // Something else has woken the run: the server may be back early, but if it is not, no try is used up.
  const rest = restOf(before, deps.now());
  if (rest) return rest;
  const next = nextWait(before, deps.now(), `${message} Try`);
  if (!next) return null;
  await writes.now({ kind: "step_delayed", at: deps.now().toISOString(), stepId, key: stepKey, wait: next.wait });
  return { for: "time", until: next.until };
}

/** Whether approved calls of the turn have already waited for a server in vain. */
export function hasWaitedForCalls(calls: readonly CallRow[]): boolean {
  return calls.some(
    ({ approval, status, error }) =>
      approval?.status === "approved" && status === "failed" && error?.code === "not_sent_unreachable",
  );
}

/** People approved it, so it is not discarded. Excludes a call that a dead worker may have sent. */
function isPrecious(call: CallRow): boolean {
  return call.approval?.status === "approved" && (call.status === "approved" || call.status === "executing");
}

/** Whether an agent's tools could not be listed because one of its servers is away, which may be temporary. */
export function isServerAway(error: unknown): error is Error {
  return error instanceof Error && error.cause instanceof ServerUnreachable && error.cause.isPassing;
}

function waitOf({ error }: Pick<CallRow, "error">): ServerWait | null {
  return error?.code === SERVER_AWAY ? (error as ServerWait) : null;
}
