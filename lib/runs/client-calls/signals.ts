/** Tells those who wait in this process for the call of a client that it has ended, without a look at the database. */
import type { ClientCallState } from "@/lib/proxy/client-calls";

type Listener = (state: ClientCallState) => void;

const listeners = new Map<string, Set<Listener>>();

export function signalClientCall(state: ClientCallState): void {
  for (const listener of listeners.get(state.callId) ?? []) listener(state);
}

/** Returns a function that stops listening. */
export function onClientCall(callId: string, listener: Listener): () => void {
  const own = listeners.get(callId) ?? new Set();
  listeners.set(callId, own.add(listener));
  return () => {
    own.delete(listener);
    if (own.size === 0 && listeners.get(callId) === own) listeners.delete(callId);
  };
}
