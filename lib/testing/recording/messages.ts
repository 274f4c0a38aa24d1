/** Reads what a request carries, without trusting its form: the recording shows what arrived, not what should have. */
import type { IncomingHttpHeaders } from "node:http";

export interface SeenMessage {
  method: string;
  tool: string | null;
  arguments: unknown;
  meta: unknown;
  params: unknown;
}

/**
 * One entry per message, or one with the HTTP method when there is none. Answers to the server's own requests count as
 * `response`.
 */
export function listMessages(httpMethod: string, body: unknown): SeenMessage[] {
  if (body === undefined) return [{ method: httpMethod, tool: null, arguments: null, meta: null, params: null }];
  return (Array.isArray(body) ? body : [body]).map((message: unknown) => {
    const { method, params } = asRecord(message);
    const fields = asRecord(params);
    const isCall = method === "tools/call";
    return {
      method: typeof method === "string" ? method : "response",
      tool: isCall && typeof fields.name === "string" ? fields.name : null,
      arguments: isCall ? (fields.arguments ?? null) : null,
      meta: fields._meta ?? null,
      params: params ?? null,
    };
  });
}

export function flattenHeaders(
  headers: IncomingHttpHeaders | Record<string, string | string[] | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

function asRecord(value: unknown): Record<string, unknown> {
  return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
}
