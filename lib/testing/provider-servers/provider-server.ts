/**
 * An HTTP server in place of a provider. It checks every request as the real one would, records it, and answers with
 * the next of the replies that the test has queued. It listens on a free port of the loopback address.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordedRequest {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown>;
}

export type Reply =
  | { kind: "json"; status: number; headers?: Record<string, string>; body: unknown }
  | { kind: "text"; status: number; headers?: Record<string, string>; text: string }
  /** Depends on the request. */
  | { kind: "chosen"; choose: (request: RecordedRequest) => Reply }
  /** A refusal that echoes everything it was sent. */
  | { kind: "echo"; status: number }
  /** The beginning of a good answer, after which the connection is cut. */
  | { kind: "cut"; body: unknown }
  /** The connection is closed before a byte was sent. */
  | { kind: "reset" }
  /** No answer; the connection stays open. */
  | { kind: "hang" }
  /** An endless answer. */
  | { kind: "endless" };

/** What is wrong with a request by the provider's rules; null when it is fine. */
export type RequestCheck = (request: RecordedRequest) => { status: number; body: unknown } | null;

export interface ProviderServer {
  url: string;
  requests: RecordedRequest[];
  /** Adds replies, in the order in which they are given. A request without one is answered 500. */
  reply(...replies: Reply[]): void;
  /** Resolves when the given number of requests has arrived. */
  received(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startProviderServer(check: RequestCheck): Promise<ProviderServer> {
  const requests: RecordedRequest[] = [];
  const replies: Reply[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  const server = createServer((request, response) => {
    void readBody(request).then((text) => {
      const recorded = record(request, text);
      requests.push(recorded);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
      const problem = check(recorded);
      const reply = problem
        ? { kind: "json" as const, ...problem }
        : (replies.shift() ?? { kind: "text" as const, status: 500, text: "no reply was laid out" });
      send(response, reply, recorded, text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    reply: (...more) => void replies.push(...more),
    received: (count) =>
      requests.length >= count ? Promise.resolve() : new Promise((resolve) => waiting.push({ count, resolve })),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}

function record(request: IncomingMessage, text: string): RecordedRequest {
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { path: request.url ?? "", headers, body: JSON.parse(text) as Record<string, unknown> };
}

function send(response: ServerResponse, reply: Reply, request: RecordedRequest, text: string): void {
  switch (reply.kind) {
    case "json":
      return end(response, reply.status, JSON.stringify(reply.body), {
        "content-type": "application/json",
        ...reply.headers,
      });
    case "text":
      return end(response, reply.status, reply.text, { "content-type": "text/html", ...reply.headers });
    case "chosen":
      return send(response, reply.choose(request), request, text);
    case "echo": {
      const message = `rejected: headers ${JSON.stringify(request.headers)} body ${text}`;
      return end(
        response,
        reply.status,
        JSON.stringify({ type: "error", error: { type: "invalid_request_error", message } }),
        { "content-type": "application/json" },
      );
    }
    case "cut": {
      const whole = JSON.stringify(reply.body);
      response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(whole) });
      return void response.write(whole.slice(0, whole.length / 2), () => response.destroy());
    }
    case "reset":
      return void response.destroy();
    case "hang":
      return;
    case "endless":
      return sendForEver(response);
  }
}

function end(response: ServerResponse, status: number, text: string, headers: Record<string, string>): void {
  response.writeHead(status, headers);
  response.end(text);
}

function sendForEver(response: ServerResponse): void {
  const chunk = Buffer.alloc(1024 * 1024, " ");
  response.writeHead(200, { "content-type": "application/json" });
  response.write("[");
  const more = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", more);
  more();
}
