/** OpenAI's Responses API, stateless as we use it: its rules for requests, and answers in its form. */
import {
  type ProviderServer,
  type RecordedRequest,
  type Reply,
  type RequestCheck,
  startProviderServer,
} from "./provider-server";

type Item = Record<string, unknown>;

export function startOpenAIServer(): Promise<ProviderServer> {
  return startProviderServer(checkRequest);
}

const checkRequest: RequestCheck = (request) => {
  if (!/^Bearer sk-\S+$/.test(request.headers.authorization ?? ""))
    return {
      status: 401,
      body: openAIError("invalid_api_key", `Incorrect API key provided: ${request.headers.authorization}`),
    };
  if (request.path !== "/v1/responses")
    return { status: 404, body: openAIError("not_found", `Invalid URL (POST ${request.path})`) };
  const problem = findProblem(request);
  return problem === null ? null : { status: 400, body: openAIError("invalid_request_error", problem) };
};

function findProblem({ body }: RecordedRequest): string | null {
  const input = body.input as Item[];
  if (body.store !== false) return "this organization does not allow stored responses";
  if (input.some((item) => item.type === "item_reference"))
    return "Item not found. Items are not persisted when `store` is set to false.";
  if (input.some((item) => item.type === "reasoning" && typeof item.encrypted_content !== "string"))
    return "Item 'rs' not found. Items are not persisted when `store` is set to false.";
  const asked = input.filter((item) => item.type === "function_call").map((item) => item.call_id);
  const answered = input.filter((item) => item.type === "function_call_output").map((item) => item.call_id);
  if (asked.some((id) => !answered.includes(id)))
    return `No tool output found for function call ${asked.find((id) => !answered.includes(id))}.`;
  if (answered.some((id) => !asked.includes(id))) return "No tool call found for function call output.";
  const tools = (body.tools ?? []) as { name: string; strict?: boolean }[];
  if (tools.some(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name)))
    return "Invalid 'tools[0].name': string does not match pattern.";
  return tools.some(({ strict }) => strict !== false)
    ? "Invalid schema for function: in strict mode every property must be required."
    : null;
}

export function openAIError(code: string, message: string): unknown {
  return { error: { message, type: code, param: null, code } };
}

export function openAIFailure(
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  return { kind: "json", status, headers, body: openAIError(code, message) };
}

export interface OpenAIAnswer {
  output: Item[];
  incomplete?: string;
  usage?: Record<string, unknown>;
  error?: { code: string; message: string };
}

export function openAIAnswer({
  output,
  incomplete,
  usage = { input_tokens: 100, output_tokens: 20 },
  error,
}: OpenAIAnswer): Reply {
  const incomplete_details = incomplete ? { reason: incomplete } : null;
  const body = {
    id: "resp_01",
    object: "response",
    created_at: 1_700_000_000,
    model: "gpt-test",
    status: error ? "failed" : "completed",
    error: error ?? null,
    incomplete_details,
    output,
    usage,
  };
  return { kind: "json", status: 200, body };
}

export function outputText(text: string): Item {
  return {
    type: "message",
    id: "msg_01",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text, annotations: [] }],
  };
}

export function functionCall(callId: string, name: string, argumentsText: string): Item {
  return {
    type: "function_call",
    id: `fc_${callId}`,
    call_id: callId,
    name,
    arguments: argumentsText,
    status: "completed",
  };
}
