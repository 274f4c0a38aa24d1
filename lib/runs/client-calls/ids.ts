/**
 * A run of a client has one call, and both ids have the same end: the run is found by the id of its call, which is all
 * that the client knows, without an index of calls.
 */
import { createId, isId } from "@/lib/ids";

export function createClientIds(): { runId: string; callId: string } {
  const runId = createId("run");
  return { runId, callId: runId.replace(/^run_/, "call_") };
}

/** Null for what cannot be the id of a call. */
export const runIdOfCall = (callId: string): string | null =>
  isId("call", callId) ? callId.replace(/^call_/, "run_") : null;
