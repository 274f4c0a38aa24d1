/** The tools of Kimitsu's own beside those of a profile: to fetch the outcome of a call that waited, and to withdraw one. */
import { z } from "zod";
import { type CallExchange, factsOf } from "@/lib/proxy/answer-call";
import type { ClientCallState } from "@/lib/proxy/client-calls";
import type { ListedTool } from "@/lib/proxy/list-exported-tools";
import type { McpClient } from "@/lib/proxy/mcp-client";
import { type Answer, toEndedAnswer, toPendingAnswer } from "@/lib/proxy/rules/answers";
import { OWN_TOOLS } from "@/lib/proxy/rules/export-names";
import { waitForCall } from "@/lib/proxy/wait-for-call";

const callId = z.string().describe("The call_id of a result that was pending, or the id of a task");
const getResultSchema = z.strictObject({
  call_id: callId,
  wait_seconds: z.number().min(0).max(900).optional().describe("How long to wait for the outcome; 0 if absent"),
});
const cancelSchema = z.strictObject({
  call_id: callId,
  reason: z.string().max(500).optional().describe("Why it is withdrawn; people read it"),
});

export const OWN_LISTED: readonly ListedTool[] = [
  {
    name: OWN_TOOLS.getResult,
    title: "Outcome of a call",
    description:
      "Gives the outcome of a call that waited for a person, or says that it still waits. Waits up to wait_seconds. Do not call it more than three times in a row: end your turn and tell the user where the decision is made.",
    inputSchema: toSchema(getResultSchema),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
  {
    name: OWN_TOOLS.cancel,
    title: "Withdraw a call",
    description: "Withdraws a call that waits for a person. A call that was sent already stays as it is.",
    inputSchema: toSchema(cancelSchema),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  },
];

function toSchema(schema: z.ZodType): ListedTool["inputSchema"] {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { target: "draft-7" });
  return { ...rest, type: "object" };
}

export const isOwnTool = (name: string): boolean => name === OWN_TOOLS.getResult || name === OWN_TOOLS.cancel;

export async function answerOwnTool(
  client: McpClient,
  { name, args }: { name: string; args: unknown },
  exchange: CallExchange,
): Promise<Answer> {
  return name === OWN_TOOLS.getResult ? getResult(client, args, exchange) : cancel(client, args, exchange);
}

async function getResult(client: McpClient, args: unknown, exchange: CallExchange): Promise<Answer> {
  const parsed = getResultSchema.safeParse(args);
  if (!parsed.success) return refuse(OWN_TOOLS.getResult, parsed.error);
  const { deps, caller, profile } = client;
  const first = await deps.calls.find(caller.token.id, parsed.data.call_id);
  if (!first) return unknown(parsed.data.call_id);
  const state = await waitForCall(deps.calls, first, {
    tokenId: caller.token.id,
    holdMs: Math.min((parsed.data.wait_seconds ?? 0) * 1000, profile.definition.hold.plain),
    signal: exchange.signal,
    isAllowed: false,
    onWaiting: null,
  });
  return toAnswer(client, state, exchange);
}

async function cancel(client: McpClient, args: unknown, exchange: CallExchange): Promise<Answer> {
  const parsed = cancelSchema.safeParse(args);
  if (!parsed.success) return refuse(OWN_TOOLS.cancel, parsed.error);
  const reason = parsed.data.reason ?? "The client withdrew it.";
  const state = await client.deps.calls.cancel(client.caller, parsed.data.call_id, reason);
  if (!state) return unknown(parsed.data.call_id);
  if (state.kind !== "ended" || state.outcome !== "cancelled") return toAnswer(client, state, exchange);
  exchange.onAnswered(state.callId);
  const { isError: _isError, ...answer } = toEndedAnswer(state, factsOf(client, null));
  return answer as Answer;
}

export function toAnswer(client: McpClient, state: ClientCallState, exchange: CallExchange): Answer {
  const facts = factsOf(client, state.kind === "pending_approval" ? state.approvalId : null);
  if (state.kind !== "ended") return toPendingAnswer(state, facts);
  exchange.onAnswered(state.callId);
  return toEndedAnswer(state, facts);
}

export const toTextAnswer = (text: string, isError: boolean): Answer => ({
  content: [{ type: "text", text }],
  ...(isError && { isError: true }),
  _meta: {},
});

const toError = (message: string): Answer => toTextAnswer(message, true);

const unknown = (id: string): Answer => toError(`There is no call ${JSON.stringify(id.slice(0, 100))} of this token.`);

function refuse(tool: string, error: z.ZodError): Answer {
  const problems = error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
  return toError(`${tool} was not run. ${problems.join("; ")}.`);
}
