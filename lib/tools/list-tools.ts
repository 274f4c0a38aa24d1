/**
 * Reads the whole list of a server's tools, however it is paged, and separates tools that cannot be offered to anyone.
 */
import type { Client } from "@modelcontextprotocol/client";
import type { SecretMatcher } from "@/lib/text/secret-matcher";
import { fingerprintToolSet, type ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { showInvisible } from "@/lib/text/tool-text";
import { KimitsuError } from "@/lib/errors";
import { CONNECT_TIMEOUT_MS, DEFINITION_BYTES_MAX, LIST_PAGES_MAX, LIST_TOOLS_MAX } from "./tool-limits";

export interface ToolList {
  tools: readonly ToolDefinition[];
  /** Listed, but not usable, each with the reason. They are never called. */
  refused: readonly { name: string; reason: string }[];
  /** Over all usable tools; equal lists have equal hashes. */
  hash: string;
  /** Milliseconds since 1970. */
  fetchedAt: number;
  /** What the server says about itself, for people; a claim like everything else. */
  instructions: string | null;
  protocolVersion: string | null;
}

export interface FetchOptions {
  serverName: string;
  matcher: SecretMatcher;
  now: number;
  signal?: AbortSignal | undefined;
}

/**
 * What no database can store, so that saving the list would fail; in JSON both are escapes. A backslash before it may
 * itself be escaped.
 */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

export async function fetchToolList(client: Client, options: FetchOptions): Promise<ToolList> {
  const listed = client.getServerCapabilities()?.tools ? await readPages(client, options) : [];
  const { tools, refused } = sortOut(listed, options.matcher);
  return {
    tools,
    refused,
    hash: fingerprintToolSet(tools),
    fetchedAt: options.now,
    instructions: client.getInstructions() ?? null,
    protocolVersion: client.getNegotiatedProtocolVersion() ?? null,
  };
}

async function readPages(client: Client, { serverName, signal }: FetchOptions): Promise<ToolDefinition[]> {
  const tools: ToolDefinition[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; page <= LIST_PAGES_MAX; page += 1) {
    const answer = await client.request(
      { method: "tools/list", params: cursor === undefined ? {} : { cursor } },
      { timeout: CONNECT_TIMEOUT_MS, ...(signal && { signal }) },
    );
    tools.push(...(answer.tools as ToolDefinition[]));
    if (tools.length > LIST_TOOLS_MAX) throw refuseList(serverName, `it has more than ${LIST_TOOLS_MAX} tools`);
    cursor = answer.nextCursor;
    if (cursor === undefined) return tools;
    if (seen.has(cursor)) throw refuseList(serverName, "its pages lead in a circle");
    seen.add(cursor);
  }
  throw refuseList(serverName, `it has more than ${LIST_PAGES_MAX} pages`);
}

function refuseList(serverName: string, reason: string): KimitsuError {
  return new KimitsuError("tool_failed", `The list of tools of server ${serverName} is not used: ${reason}.`);
}

function sortOut(listed: readonly ToolDefinition[], matcher: SecretMatcher) {
  const count = new Map<string, number>();
  for (const { name } of listed) count.set(name, (count.get(name) ?? 0) + 1);
  const tools: ToolDefinition[] = [];
  const refused: { name: string; reason: string }[] = [];
  for (const { name, title, description, inputSchema, outputSchema, annotations } of listed) {
    const tool = { name, title, description, inputSchema, outputSchema, annotations };
    const reason = count.get(name)! > 1 ? "the name is listed twice" : findFault(tool, matcher);
    if (reason === null) tools.push(tool);
    else refused.push({ name: showInvisible(name.slice(0, 128)), reason });
  }
  return { tools: tools.toSorted((left, right) => (left.name < right.name ? -1 : 1)), refused };
}

function findFault(tool: ToolDefinition, matcher: SecretMatcher): string | null {
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tool.name))
    return "a tool's name has 1 to 128 letters, digits, dots, hyphens and underscores";
  if (tool.name === "__proto__") return "programs read its name differently";
  const text = JSON.stringify(tool);
  if (Buffer.byteLength(text) > DEFINITION_BYTES_MAX)
    return `its definition is larger than ${DEFINITION_BYTES_MAX} bytes`;
  if (UNSTORABLE.test(text)) return "its definition has a NUL character or half of a surrogate pair, which is not text";
  if (matcher.replaceAll(text, () => "") !== text) return "its definition holds a secret that was sent to the server";
  return null;
}
