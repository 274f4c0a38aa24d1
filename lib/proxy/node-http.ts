/** Between Node's HTTP server and the web standard's requests and responses. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { KimitsuError } from "@/lib/errors";

/** Headers that concern the connection to the client, or prove who it is: nothing behind the door needs them. */
const KEPT_BACK = new Set(["authorization", "cookie", "connection", "content-length", "transfer-encoding", "host"]);

/** Throws `too_large` before all of it was read. */
export async function readBody(message: IncomingMessage, bytesMax: number): Promise<Buffer> {
  const refuse = () => new KimitsuError("too_large", `The body is larger than ${bytesMax} bytes.`);
  if (Number(message.headers["content-length"] ?? 0) > bytesMax) throw refuse();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bytesMax) throw refuse();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

export function toWebRequest(message: IncomingMessage, origin: string, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(message.headers)) {
    if (value === undefined || KEPT_BACK.has(name)) continue;
    for (const each of Array.isArray(value) ? value : [value]) headers.append(name, each);
  }
  // The body was read before, and is given parsed.
  return new Request(new URL("/mcp", origin), { method: message.method ?? "GET", headers, signal });
}

/** Resolves when all was written; rejects when the client left before. */
export async function writeResponse(response: Response, reply: ServerResponse): Promise<void> {
  const headers = Object.fromEntries(response.headers);
  // A proxy in front must not collect a stream before it passes it on.
  if (headers["content-type"]?.startsWith("text/event-stream")) headers["x-accel-buffering"] = "no";
  reply.writeHead(response.status, { "cache-control": "no-store", "x-content-type-options": "nosniff", ...headers });
  const reader = response.body?.getReader();
  if (!reader) return finish(reply);
  reply.flushHeaders();
  const leave = () => void reader.cancel().catch(() => {});
  reply.once("close", leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || reply.destroyed) break;
      if (!reply.write(value)) await Promise.race([once(reply, "drain"), once(reply, "close")]);
    }
  } finally {
    reply.off("close", leave);
  }
  return finish(reply);
}

function finish(reply: ServerResponse): Promise<void> {
  if (reply.destroyed) return Promise.reject(new Error("The client left before it was answered."));
  return new Promise((resolve, reject) => {
    reply.once("finish", resolve);
    reply.once("close", () => reject(new Error("The client left before it was answered.")));
    reply.end();
  });
}
