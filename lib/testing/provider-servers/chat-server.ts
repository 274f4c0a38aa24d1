/** The chat completions API, as Ollama, vLLM and others offer it: its rules for requests, and answers in its form. */
import {
  type ProviderServer,
  type RecordedRequest,
  type Reply,
  type RequestCheck,
  startProviderServer,
} from "./provider-server";

interface ChatMessage {
  role: string;
  tool_call_id?: string;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
}

export function startChatServer(): Promise<ProviderServer> {
  return startProviderServer(checkRequest);
}

const checkRequest: RequestCheck = (request) => {
  if (request.path !== "/v1/chat/completions")
    return { status: 404, body: { error: `path ${request.path} not found` } };
  const problem = findProblem(request);
  return problem === null
    ? null
    : { status: 400, body: { error: { message: problem, type: "invalid_request_error" } } };
};

function findProblem({ body }: RecordedRequest): string | null {
  let open: string[] = [];
  for (const message of body.messages as ChatMessage[]) {
    if (message.role === "tool") {
      if (!open.includes(message.tool_call_id ?? ""))
        return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'";
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0)
      return "an assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'";
    for (const { function: called } of message.tool_calls ?? []) JSON.parse(called.arguments);
    open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return open.length > 0 ? "tool calls without tool messages" : null;
}

export interface ChatAnswer {
  content?: string | null;
  refusal?: string;
  reasoning_content?: string;
  calls?: { id: string; name: string; arguments: string }[];
  finish_reason?: string;
  usage?: Record<string, unknown> | null;
}

export function chatAnswer({
  calls,
  finish_reason = "stop",
  usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 },
  ...message
}: ChatAnswer): Reply {
  const tool_calls = calls?.map(({ id, name, arguments: text }) => ({
    id,
    type: "function",
    function: { name, arguments: text },
  }));
  const choice = { index: 0, message: { role: "assistant", content: null, ...message, tool_calls }, finish_reason };
  return {
    kind: "json",
    status: 200,
    body: {
      id: "chatcmpl-01",
      object: "chat.completion",
      created: 1_700_000_000,
      model: "local",
      choices: [choice],
      usage,
    },
  };
}
