/**
 * Holds a request while its call has not ended, for as long as its client can bear. The request only views the call: when
 * the client leaves, the call stays.
 */
import type { ClientCalls, ClientCallState } from "@/lib/proxy/client-calls";
import type { WaitingCall } from "@/lib/proxy/rules/answers";
import { MCP_PROGRESS_INTERVAL_MS } from "@/lib/limits";

export interface HoldOptions {
  tokenId: string;
  holdMs: number;
  /** Aborted when the client left, its token was revoked, or this process is about to end. */
  signal: AbortSignal;
  /** True for a call that nobody had to decide on: then only the tool's own time is waited for. */
  isAllowed: boolean;
  /** Called every so often while it waits. */
  onWaiting: ((state: WaitingCall, waits: number) => void) | null;
}

/** The state when it ended, when the hold was over, or when the request was given up. */
export async function waitForCall(
  calls: ClientCalls,
  first: ClientCallState,
  { tokenId, holdMs, signal, isAllowed, onWaiting }: HoldOptions,
): Promise<ClientCallState> {
  let state = first;
  const startedAt = performance.now();
  for (let waits = 0; state.kind !== "ended" && !signal.aborted; waits += 1) {
    const isAtWork = isAllowed && state.kind === "running";
    const leftMs = isAtWork ? Number.POSITIVE_INFINITY : holdMs - (performance.now() - startedAt);
    if (leftMs <= 0) return state;
    onWaiting?.(state, waits);
    const slice = AbortSignal.timeout(Math.ceil(Math.min(leftMs, MCP_PROGRESS_INTERVAL_MS)));
    state = (await calls.wait(tokenId, state.callId, { signal: AbortSignal.any([signal, slice]) })) ?? state;
  }
  return state;
}
