/**
 * Providers take tool names of at most 64 letters, digits, hyphens and underscores; MCP allows longer ones, with dots
 * and slashes. An invalid name is sent as its readable beginning and a digest, the same one in every request.
 */
import { createHash } from "node:crypto";
import type { ModelRequest } from "./model";

const NAME_LENGTH_MAX = 64;
const DIGEST_LENGTH = 10;

export function toWireName(name: string): string {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, DIGEST_LENGTH);
  const readable = name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, NAME_LENGTH_MAX - DIGEST_LENGTH - 1);
  return `${readable}_${digest}`;
}

/**
 * Translates a wire name back to the tool's name; a name that the request does not know stays as the model wrote it.
 */
export function readWireNames(request: Pick<ModelRequest, "tools" | "messages">): (wireName: string) => string {
  const names = new Map(
    [...listCalledNames(request), ...request.tools.map((tool) => tool.name)].map((name) => [toWireName(name), name]),
  );
  return (wireName) => names.get(wireName) ?? wireName;
}

/** Names of the tools that were called so far, each once. */
export function listCalledNames({ messages }: Pick<ModelRequest, "messages">): string[] {
  const names = messages.flatMap((message) =>
    message.role === "assistant" ? message.toolCalls.map((call) => call.name) : [],
  );
  return [...new Set(names)];
}
