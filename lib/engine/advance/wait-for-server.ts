/**
 * A person's word is not lost to the restart of a tool server. A call that people approved and of which nothing left, because its server is
 * away, stays approved; the run is put down between the tries and holds nothing meanwhile, so that a cancel ends the wait. What no person
 * has looked at fails at once: the agent is told, and can ask for it again.
 */
import { SERVER_AWAY } from "@/lib/domain/call-state";
import { SERVER_AWAY_WAITS_MS } from "@/lib/domain/limits";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held } from "@/lib/engine/advance/run-memory";
import type { Waiting } from "@/lib/engine/advance/step-outcome";
import type { CallRow, ServerWait } from "@/lib/store/queries/load-run";
import { giveUpOnServer, keepForServer } from "@/lib/store/transitions/keep-for-server";
import { ServerUnreachable } from "@/lib/tools/tool-pool";

const TRIES_MAX = SERVER_AWAY_WAITS_MS.length + 1;

/** Until when a call is not to be tried, whatever else has woken its run; null when it may be. */
export function restOfWait({ deps }: RunContext, call: CallRow): Waiting | null {
  const wait = waitOf(call);
  const until = wait && new Date(wait.until);
  return until && until > deps.now() ? { for: "time", until } : null;
}

/** Null when the call is not one to wait for, or has been tried often enough. `refundUsd` is what this try was charged. */
export async function waitForServer({ deps, memory, writes }: RunContext, call: CallRow, { message, refundUsd = 0 }: { message: string; refundUsd?: number }): Promise<Waiting | null> {
  const tries = (waitOf(call)?.tries ?? 0) + 1;
  const waitMs = SERVER_AWAY_WAITS_MS[tries - 1];
  if (!isPrecious(call) || waitMs === undefined) return null;
  const until = new Date(deps.now().getTime() + waitMs);
  const wait: ServerWait = {
    code: SERVER_AWAY,
    message: `${message} The approval stands: try ${tries + 1} of ${TRIES_MAX} follows at ${until.toISOString().slice(11, 19)} UTC.`,
    tries,
    until: until.toISOString(),
  };
  held(await writes.now((db) => keepForServer(db, memory.lease, { callId: call.id, refundUsd, wait }, deps.now())));
  memory.setCall(call.id, { status: "approved", error: wait });
  return { for: "time", until };
}

/** For a call that was not begun: waits, or gives it up when it was tried often enough. `null` when it is not one to wait for. */
export async function waitOrGiveUp(context: RunContext, call: CallRow, message: string): Promise<{ waiting: Waiting | null } | null> {
  if (!isPrecious(call)) return null;
  const waiting = await waitForServer(context, call, { message });
  if (waiting) return { waiting };
  const { deps, memory, writes } = context;
  const error = { code: "not_sent_unreachable", message };
  held(await writes.now((db) => giveUpOnServer(db, memory.lease, { callId: call.id, error }, deps.now())));
  memory.setCall(call.id, { status: "failed", error });
  return { waiting: null };
}

/** What was left executing by a worker that died may have been sent by it. */
function isPrecious(call: CallRow): boolean {
  return call.approval?.status === "approved" && call.status === "approved";
}

/** Whether an agent's tools could not be listed because a server of it is away, which may pass. */
export function isServerAway(error: unknown): error is Error {
  return error instanceof Error && error.cause instanceof ServerUnreachable && error.cause.isPassing;
}

function waitOf({ error }: CallRow): ServerWait | null {
  return error !== null && "until" in error ? error : null;
}
