/** The methods by which clients follow a call as a task, in both forms of the protocol. */
import { ProtocolError, ProtocolErrorCode, type Server, type StandardSchemaV1 } from "@modelcontextprotocol/server";
import { factsOf } from "@/lib/proxy/answer-call";
import type { ClientCallState } from "@/lib/proxy/client-calls";
import { exchangeOf } from "@/lib/proxy/exchange";
import type { McpClient } from "@/lib/proxy/mcp-client";
import { listTaskIds } from "@/lib/proxy/queries/list-task-ids";
import { toEndedAnswer } from "@/lib/proxy/rules/answers";
import { toLegacyTask, toTask } from "@/lib/proxy/rules/tasks";
import { waitForCall } from "@/lib/proxy/wait-for-call";
import { PAGE_SIZE } from "@/lib/limits";

type TaskParams = { taskId?: unknown; cursor?: unknown };

const anything: StandardSchemaV1<TaskParams, TaskParams> = {
  "~standard": { version: 1, vendor: "kimitsu", validate: (value) => ({ value: (value ?? {}) as TaskParams }) },
};
const RELATED_TASK = "io.modelcontextprotocol/related-task";

export function addTasks(server: Server, client: McpClient, era: "modern" | "legacy"): void {
  const { calls } = client.deps;
  const { token } = client.caller;
  const show = (state: ClientCallState) => {
    const facts = factsOf(client, state.kind === "pending_approval" ? state.approvalId : null);
    return era === "modern" ? toTask(state, facts) : toLegacyTask(state, facts);
  };
  const get = async (params: TaskParams): Promise<ClientCallState> =>
    (typeof params.taskId === "string" ? await calls.find(token.id, params.taskId) : null) ?? refuse(params.taskId);

  server.setRequestHandler("tasks/get", { params: anything }, async (params, ctx) => {
    const state = await get(params);
    if (era === "modern" && state.kind === "ended") exchangeOf(ctx).onAnswered(state.callId);
    return era === "modern" ? { resultType: "complete", ...show(state) } : show(state);
  });
  server.setRequestHandler("tasks/cancel", { params: anything }, async (params) => {
    const { callId } = await get(params);
    const state = (await calls.cancel(client.caller, callId, "The client cancelled the task.")) ?? refuse(callId);
    return era === "modern" ? { resultType: "complete" } : show(state);
  });
  if (era === "modern") {
    server.setRequestHandler("tasks/update", { params: anything }, async (params) => {
      await get(params);
      return { resultType: "complete" };
    });
    return;
  }
  server.setRequestHandler("tasks/result", { params: anything }, async (params, ctx) => {
    const exchange = exchangeOf(ctx);
    const first = await get(params);
    const state = await exchange.hold(() =>
      waitForCall(calls, first, {
        tokenId: token.id,
        holdMs: Number.POSITIVE_INFINITY,
        signal: exchange.signal,
        isAllowed: true,
        onWaiting: null,
      }),
    );
    if (state.kind !== "ended") throw new ProtocolError(ProtocolErrorCode.InternalError, "The call has not ended yet.");
    exchange.onAnswered(state.callId);
    const answer = toEndedAnswer(state, factsOf(client, null));
    return { ...answer, _meta: { ...answer._meta, [RELATED_TASK]: { taskId: state.callId } } };
  });
  server.setRequestHandler("tasks/list", { params: anything }, async ({ cursor }) => {
    const before = typeof cursor === "string" ? cursor : null;
    const ids = await listTaskIds(client.deps.db, { tokenId: token.id, before, limit: PAGE_SIZE });
    const states = await Promise.all(ids.map((id) => calls.find(token.id, id)));
    const tasks = states.filter((state) => state !== null).map(show);
    return { tasks, ...(ids.length === PAGE_SIZE && { nextCursor: ids.at(-1) }) };
  });
}

/** The same for a task that does not exist and for another token's. */
function refuse(taskId: unknown): never {
  const shown = JSON.stringify(String(taskId).slice(0, 100));
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no task ${shown}.`);
}
