/** Requests as many clients would send them, over kept-alive connections; failures are counted by kind. */
import { Agent, request } from "undici";

export interface Answer {
  status: number;
  body: Record<string, unknown>;
  tookMs: number;
}

export interface LoadClient {
  /** Null when it failed; the failure is in `errors`. */
  send(what: string, address: string, token: string, body?: unknown): Promise<Answer | null>;
  /** How often each kind of error occurred. */
  errors: Map<string, number>;
  fail(kind: string): void;
  close(): Promise<void>;
}

const CONNECTIONS = 64;
const TIMEOUT_MS = 30_000;

export function openLoadClient(url: string): LoadClient {
  const dispatcher = new Agent({
    connections: CONNECTIONS,
    keepAliveTimeout: 5_000,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const errors = new Map<string, number>();
  const fail = (kind: string) => void errors.set(kind, (errors.get(kind) ?? 0) + 1);
  return {
    errors,
    fail,
    async send(what, address, token, body) {
      const sentAt = performance.now();
      try {
        const { statusCode, body: answer } = await request(url + address, {
          dispatcher,
          method: body === undefined ? "GET" : "POST",
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const read = (await answer.json()) as Answer["body"] & { error?: { code: string } };
        const tookMs = performance.now() - sentAt;
        if (statusCode < 300) return { status: statusCode, body: read, tookMs };
        fail(`${what}: ${statusCode} ${read.error?.code ?? ""}`.trim());
      } catch (error) {
        fail(`${what}: ${(error as { code?: string }).code ?? String(error)}`);
      }
      return null;
    },
    close: () => dispatcher.close(),
  };
}
