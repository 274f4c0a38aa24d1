/** Calls of MCP clients: each is a run of its own, on record before it is answered. */
import type { ClientCalls, ClientCallState } from "@/lib/proxy/client-calls";
import { cancelRun } from "@/lib/runs/cancel-run";
import { KeyCloser, releaseClientKey } from "@/lib/runs/client-calls/close-client-key";
import { findRunByKey } from "@/lib/runs/client-calls/find-client-run";
import { runIdOfCall } from "@/lib/runs/client-calls/ids";
import { onClientCall } from "@/lib/runs/client-calls/signals";
import { type ClientDeps, startClientCall } from "@/lib/runs/client-calls/start-client-call";
import { toClientState } from "@/lib/runs/client-calls/to-client-state";
import { RunWatch } from "@/lib/runs/client-calls/watch-ends";
import { findOpenRun, type OpenRun } from "@/lib/runs/journal/open-run";
import { isRunSettled } from "@/lib/runs/rules/run-state";

interface Seen {
  state: ClientCallState;
  seq: number;
}

export function createClientCalls(deps: ClientDeps): ClientCalls & { flush(): Promise<void> } {
  const watch = new RunWatch(deps.db);
  const closer = new KeyCloser(deps.db);

  const toSeen = (run: OpenRun): Seen => ({ state: toClientState(run.snapshot), seq: run.head.seq });

  /** Null for a call that does not exist or belongs to another token. */
  const read = async (tokenId: string, callId: string): Promise<Seen | null> => {
    const runId = runIdOfCall(callId);
    const run = runId === null ? null : await findOpenRun(deps.db, runId);
    const { sessionId = null, startedBy } = run?.snapshot.run ?? {};
    return run && sessionId !== null && startedBy?.id === tokenId ? toSeen(run) : null;
  };

  /** Until it has ended or waits for something else. Listens before it reads again, so that no end is missed. */
  const waitForChange = async (tokenId: string, first: Seen, signal: AbortSignal): Promise<ClientCallState> => {
    let seen = first;
    const { callId, runId } = seen.state;
    const ended = Promise.withResolvers<ClientCallState>();
    const deafen = onClientCall(callId, ended.resolve);
    try {
      while (seen.state.kind !== "ended" && seen.state.kind === first.state.kind && !signal.aborted) {
        const changed = Promise.withResolvers<void>();
        const stop = watch.on(runId, seen.seq, changed.resolve);
        signal.addEventListener("abort", () => changed.resolve(), { once: true });
        const end = await Promise.race([ended.promise, changed.promise]).finally(stop);
        if (end) return end;
        seen = (await read(tokenId, callId)) ?? seen;
      }
      return seen.state;
    } finally {
      deafen();
    }
  };

  /** Null when it has ended meanwhile, or a new one is harmless and gives a newer answer. */
  const join = async (clientKey: Buffer): Promise<Seen | null> => {
    const runId = await findRunByKey(deps.db, clientKey);
    const run = runId === null ? null : await findOpenRun(deps.db, runId);
    if (!runId || !run) return null;
    const { state, seq } = toSeen(run);
    const [call] = run.snapshot.calls.values();
    const isRepeatable = call?.retrySafe && state.kind === "ended" && state.outcome !== "rejected";
    if (!isRepeatable) return { state, seq };
    if (isRunSettled(run.snapshot.run.status)) await releaseClientKey(deps.db, runId);
    return null;
  };

  return {
    async call(caller, request, { signal }) {
      for (;;) {
        const started = await startClientCall(deps, caller, request);
        const seen = started.kind === "started" ? toSeen(started.run) : await join(started.clientKey);
        // It ended in this moment, so that this one is a new call.
        if (!seen) continue;
        return seen.state.kind === "running" ? waitForChange(caller.token.id, seen, signal) : seen.state;
      }
    },
    find: async (tokenId, callId) => (await read(tokenId, callId))?.state ?? null,
    async wait(tokenId, callId, { signal }) {
      const seen = await read(tokenId, callId);
      return seen && waitForChange(tokenId, seen, signal);
    },
    async cancel(caller, callId, reason) {
      const seen = await read(caller.token.id, callId);
      if (!seen || seen.state.kind === "ended" || seen.state.kind === "outcome_unknown") return seen?.state ?? null;
      const { token, user } = caller;
      const actor = { kind: "token", id: token.id, name: token.name, userId: user.id } as const;
      await cancelRun(deps, actor, { runId: seen.state.runId, reason });
      return (await read(caller.token.id, callId))?.state ?? null;
    },
    markDelivered(callId) {
      const runId = runIdOfCall(callId);
      if (runId !== null) closer.close(runId);
    },
    flush: () => closer.flush(),
  };
}
