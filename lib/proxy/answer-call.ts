/** A `tools/call` of a client: stored and judged first, then answered by what the client declared it can do. */
import type { ClientCallRequest, ClientCallState } from "@/lib/proxy/client-calls";
import type { McpClient } from "@/lib/proxy/mcp-client";
import {
  type Answer,
  type AnswerFacts,
  approvalUrl,
  describeWaiting,
  toEndedAnswer,
  toPendingAnswer,
} from "@/lib/proxy/rules/answers";
import { toLegacyTask, toTask } from "@/lib/proxy/rules/tasks";
import { waitForCall } from "@/lib/proxy/wait-for-call";
import { MCP_POLL_INTERVAL_MS } from "@/lib/limits";

/** How a client takes an answer that is late. */
export type Patience =
  | { kind: "task_extension" }
  | { kind: "task_param" }
  | { kind: "progress"; notify: (progress: number, message: string) => void }
  | { kind: "plain" };

export interface CallExchange {
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** To be called with what was answered finally: it is delivered once the client has it. */
  onAnswered: (callId: string) => void;
}

export async function answerCall(
  client: McpClient,
  request: ClientCallRequest,
  { patience, exchange }: { patience: Patience; exchange: CallExchange },
): Promise<Answer | Record<string, unknown>> {
  const { calls } = client.deps;
  const holdMs = holdOf(client, patience);
  // A task is answered soon, whatever the call waits for.
  const soon = patience.kind === "task_extension" || patience.kind === "task_param";
  const limit = soon ? AbortSignal.any([exchange.signal, AbortSignal.timeout(holdMs)]) : exchange.signal;
  const first = await calls.call(client.caller, request, { signal: limit });
  const isAllowed = first.kind === "running" && !soon;
  let approvalId = first.kind === "pending_approval" ? first.approvalId : null;
  const state = await waitForCall(calls, first, {
    tokenId: client.caller.token.id,
    holdMs,
    signal: exchange.signal,
    isAllowed,
    onWaiting: (waiting, waits) => {
      if (waiting.kind === "pending_approval") ({ approvalId } = waiting);
      if (patience.kind === "progress")
        patience.notify(waits, describeWaiting(waiting, approvalId && approvalUrl(client.deps.origin, approvalId)));
    },
  });
  return toAnswer(state, { client, patience, exchange, approvalId });
}

function holdOf({ profile }: McpClient, patience: Patience): number {
  const { hold } = profile.definition;
  switch (patience.kind) {
    case "task_extension":
      return hold.task;
    case "task_param":
      return 0;
    case "progress":
      return hold.progress;
    case "plain":
      return hold.plain;
  }
}

interface Answering {
  client: McpClient;
  patience: Patience;
  exchange: CallExchange;
  approvalId: string | null;
}

function toAnswer(state: ClientCallState, { client, patience, exchange, approvalId }: Answering) {
  const facts = factsOf(client, state.kind === "pending_approval" ? state.approvalId : approvalId);
  if (patience.kind === "task_param") return { content: [], task: toLegacyTask(state, facts) };
  if (state.kind === "ended") {
    exchange.onAnswered(state.callId);
    return toEndedAnswer(state, facts);
  }
  return patience.kind === "task_extension"
    ? { resultType: "task", ...toTask(state, facts) }
    : toPendingAnswer(state, facts);
}

export const factsOf = ({ deps }: McpClient, approvalId: string | null): AnswerFacts & { now: Date } => ({
  origin: deps.origin,
  approvalId,
  retryAfterS: MCP_POLL_INTERVAL_MS / 1000,
  now: deps.now(),
});
