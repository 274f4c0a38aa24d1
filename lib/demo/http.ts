/** What a small MCP server on the loopback address needs from HTTP, and nothing more. */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const LOOPBACK_NAMES = ["127.0.0.1", "localhost", "[::1]"];

export class HttpRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Throws a 413 beyond the limit and a 400 for what is not JSON. An empty body is undefined. */
export async function readJsonBody(request: IncomingMessage, bytesMax: number): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop must not destroy the request: the refusal is still to be sent on the same connection.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw new HttpRefusal(413, `The body has more than ${bytesMax} bytes.`);
    chunks.push(chunk);
  }
  if (size === 0) return undefined;
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpRefusal(400, "The body is not JSON.");
  }
}

/**
 * A page in a browser can point a name of its own at 127.0.0.1 and then talk to this server. The Host header still
 * carries that name, so only loopback names are served, and only to pages from loopback.
 */
export function refuseForeignHost({ headers }: IncomingMessage): void {
  if (!isLoopback(`http://${headers.host ?? ""}`))
    throw new HttpRefusal(403, `Host ${JSON.stringify(headers.host ?? "")} is not served; use 127.0.0.1.`);
  if (headers.origin !== undefined && !isLoopback(headers.origin))
    throw new HttpRefusal(403, `Origin ${JSON.stringify(headers.origin)} is not served.`);
}

function isLoopback(url: string): boolean {
  return URL.canParse(url) && LOOPBACK_NAMES.includes(new URL(url).hostname);
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** The form in which MCP clients expect even those refusals that concern no message. */
export function sendRpcError(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.end();
  sendJson(response, status, { jsonrpc: "2.0", error: { code: -32_000, message }, id: null });
}

/** Listens on 127.0.0.1 only; port 0 takes a free one. Resolves with the port, rejects when it is taken. */
export function listenOnLoopback(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
}
