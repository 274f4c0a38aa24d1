/** A call as a task, in the form of the extension (2026-07-28) and in that of 2025-11-25. The task's id is the call's. Pure. */
import { decodeTime } from "ulid";
import { type AnswerFacts, approvalUrl, describeWaiting, toEndedAnswer } from "@/lib/proxy/rules/answers";
import type { ClientCallState } from "@/lib/proxy/client-calls";
import { MCP_POLL_INTERVAL_MS } from "@/lib/limits";

export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

type TaskStatus = "working" | "completed" | "cancelled";

interface TaskFacts extends AnswerFacts {
  now: Date;
}

/** A refusal by a person or the policy is an outcome of the tool, and so the task is completed by it. */
const statusOf = (state: ClientCallState): TaskStatus => {
  if (state.kind !== "ended") return "working";
  return state.outcome === "cancelled" ? "cancelled" : "completed";
};

/** Ids carry the time at which they were made. */
export const createdAtOf = (callId: string): Date => new Date(decodeTime(callId.slice("call_".length).toUpperCase()));

function describe(state: ClientCallState, { origin, approvalId }: TaskFacts): string | undefined {
  if (state.kind === "ended") return undefined;
  return describeWaiting(state, approvalId === null ? null : approvalUrl(origin, approvalId));
}

function ttlOf(state: ClientCallState): number | null {
  if (state.kind !== "pending_approval" || state.expiresAt === null) return null;
  return Math.max(0, Date.parse(state.expiresAt) - createdAtOf(state.callId).getTime());
}

function common(state: ClientCallState, facts: TaskFacts) {
  const statusMessage = describe(state, facts);
  return {
    taskId: state.callId,
    status: statusOf(state),
    createdAt: createdAtOf(state.callId).toISOString(),
    lastUpdatedAt: facts.now.toISOString(),
    ...(statusMessage !== undefined && { statusMessage }),
  };
}

/** With the result, once there is one. */
export function toTask(state: ClientCallState, facts: TaskFacts): Record<string, unknown> {
  const { _meta: meta, ...answer } = state.kind === "ended" ? toEndedAnswer(state, facts) : { _meta: undefined };
  return {
    ...common(state, facts),
    ttlMs: ttlOf(state),
    pollIntervalMs: MCP_POLL_INTERVAL_MS,
    ...(statusOf(state) === "completed" && { result: { ...answer, _meta: meta } }),
  };
}

/** 2025-11-25: the result is fetched by `tasks/result`. */
export function toLegacyTask(state: ClientCallState, facts: TaskFacts): Record<string, unknown> {
  return { ...common(state, facts), ttl: ttlOf(state), pollInterval: MCP_POLL_INTERVAL_MS };
}
