/** Anthropic's Messages API: its rules for requests, and answers in its form. */
import {
  type ProviderServer,
  type RecordedRequest,
  type Reply,
  type RequestCheck,
  startProviderServer,
} from "./provider-server";

type Block = Record<string, unknown> & { type: string };
interface Message {
  role: string;
  content: Block[];
}

const FIELDS = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "temperature",
  "tools",
  "tool_choice",
  "metadata",
  "thinking",
  "stop_sequences",
  "stream",
  "output_config",
]);

/** Answers only below `/v1`, to keys that begin with `sk-ant-`. */
export function startAnthropicServer(): Promise<ProviderServer> {
  return startProviderServer(checkRequest);
}

const checkRequest: RequestCheck = (request) => {
  const key = request.headers["x-api-key"] ?? "";
  if (!key.startsWith("sk-ant-"))
    return { status: 401, body: anthropicError("authentication_error", `invalid x-api-key: ${key.slice(0, 8)}`) };
  if (request.path !== "/v1/messages")
    return { status: 404, body: anthropicError("not_found_error", `Not found: ${request.path}`) };
  const problem = findProblem(request);
  return problem === null ? null : { status: 400, body: anthropicError("invalid_request_error", problem) };
};

function findProblem({ headers, body }: RecordedRequest): string | null {
  if (headers["anthropic-version"] !== "2023-06-01") return "anthropic-version: header is required";
  const unknown = Object.keys(body).find((field) => !FIELDS.has(field));
  if (unknown) return `${unknown}: Extra inputs are not permitted`;
  if (typeof body.max_tokens !== "number") return "max_tokens: Field required";
  const format = (body.output_config as { format?: { type?: string; schema?: unknown } } | undefined)?.format;
  if (format && (format.type !== "json_schema" || findOpenObject(format.schema)))
    return "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
  const messages = body.messages as Message[];
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  return findMessageProblem(messages) ?? findToolProblem(messages, body.tools as { name: string }[] | undefined);
}

function findOpenObject(schema: unknown): boolean {
  if (schema === null || typeof schema !== "object") return false;
  const { type, additionalProperties } = schema as { type?: unknown; additionalProperties?: unknown };
  return (type === "object" && additionalProperties !== false) || Object.values(schema).some(findOpenObject);
}

function findMessageProblem(messages: readonly Message[]): string | null {
  for (const [index, { role, content }] of messages.entries()) {
    if (content.length === 0) return `messages.${index}: content must not be empty`;
    if (content.some((block) => block.type === "text" && block.text === ""))
      return `messages.${index}: text content blocks must be non-empty`;
    if (role === messages[index - 1]?.role) return `messages.${index}: roles must alternate`;
    const asked = idsOf(content, "tool_use", "id");
    const answered = idsOf(messages[index + 1]?.content ?? [], "tool_result", "tool_use_id");
    if (asked.some((id) => !answered.includes(id)))
      return `messages.${index}: tool_use ids were found without tool_result blocks immediately after`;
    const known = idsOf(messages[index - 1]?.content ?? [], "tool_use", "id");
    if (idsOf(content, "tool_result", "tool_use_id").some((id) => !known.includes(id)))
      return `messages.${index}: unexpected tool_use_id found in tool_result blocks`;
  }
  return null;
}

function findToolProblem(messages: readonly Message[], tools: { name: string }[] | undefined): string | null {
  const usesTools = messages.some(({ content }) =>
    content.some((block) => block.type === "tool_use" || block.type === "tool_result"),
  );
  if (usesTools && !tools?.length) return "Requests which include `tool_use` or `tool_result` blocks must define tools";
  const misnamed = tools?.find(({ name }) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name));
  return misnamed ? "tools.0.name: String should match pattern" : null;
}

function idsOf(content: readonly Block[], type: string, field: string): unknown[] {
  return content.filter((block) => block.type === type).map((block) => block[field]);
}

export function anthropicError(type: string, message: string): unknown {
  return { type: "error", error: { type, message }, request_id: "req_011" };
}

export function anthropicFailure(
  status: number,
  type: string,
  message: string,
  headers: Record<string, string> = {},
): Reply {
  return { kind: "json", status, headers, body: anthropicError(type, message) };
}

export interface AnthropicAnswer {
  content: Block[];
  stop_reason?: string;
  usage?: Record<string, number>;
}

export function anthropicBody({
  content,
  stop_reason = "end_turn",
  usage = { input_tokens: 100, output_tokens: 20 },
}: AnthropicAnswer): unknown {
  return {
    id: "msg_01",
    type: "message",
    role: "assistant",
    model: "claude-test",
    content,
    stop_reason,
    stop_sequence: null,
    usage,
  };
}

export function anthropicAnswer(answer: AnthropicAnswer): Reply {
  return { kind: "json", status: 200, body: anthropicBody(answer) };
}
