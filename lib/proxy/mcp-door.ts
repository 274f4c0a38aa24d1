/**
 * The door `/mcp`: who may come in, by which era of the protocol, and the orderly end of all that is held open. It
 * decides on the body; headers only have to agree with it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { isLegacyRequest } from "@modelcontextprotocol/server";
import { authenticateClient } from "@/lib/proxy/authenticate-client";
import { type ClientClaim, createClientSessions } from "@/lib/proxy/client-sessions";
import { bindExchange, Exchange } from "@/lib/proxy/exchange";
import { readBody, toWebRequest, writeResponse } from "@/lib/proxy/node-http";
import type { ProxyDeps } from "@/lib/proxy/proxy-deps";
import { listEndedTokens } from "@/lib/proxy/queries/list-ended-tokens";
import { findForeignHost } from "@/lib/proxy/rules/own-hosts";
import { type Identity, TokenDoor } from "@/lib/proxy/token-door";
import { endSessionsOfTokens } from "@/lib/proxy/transitions/write-session";
import { type Issue, KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { MCP_BODY_BYTES_MAX, MCP_SESSION_IDLE_MS, MCP_TOKEN_CHECK_INTERVAL_MS } from "@/lib/limits";
import { log } from "@/lib/log";

export interface McpDoorOptions extends ProxyDeps {
  /** Names by which this deployment is reached; null: by any. */
  hosts: ReadonlySet<string> | null;
  /** Throws KimitsuError when this caller sends too much, or the process cannot take more. */
  countRequest(tokenId: string): void;
  /** The request waits for people from here on, and no longer counts as one that is worked on. */
  markHeld(reply: ServerResponse): void;
}

export interface McpDoor {
  /** Answers every request; never throws. */
  handle(message: IncomingMessage, reply: ServerResponse): Promise<void>;
  /** Answers held requests with what is known; the calls stay, and sessions go on with the next process. */
  close(): Promise<void>;
}

const META = "io.modelcontextprotocol/";
/** The key of `_meta` by which a client may say which conversation a request belongs to. */
const CONVERSATION_KEY = "dev.kimitsu/conversation_id";

export function createMcpDoor(options: McpDoorOptions): McpDoor {
  const doors = new Map<string, TokenDoor>();
  const sessions = createClientSessions(options);
  let isChecking = false;
  const check = setInterval(() => void checkTokens(), MCP_TOKEN_CHECK_INTERVAL_MS);
  check.unref();
  const unwatch = options.pool.watchLists(() => doors.forEach((door) => door.toolsChanged()));

  function doorOf(identity: Identity): TokenDoor {
    const { id } = identity.caller.token;
    const known = doors.get(id);
    // Another profile is another client, whoever has the token.
    if (known && known.identity.profile === identity.profile) {
      known.usedAt = performance.now();
      return known;
    }
    if (known) void known.close("The token has another profile now.");
    const door = new TokenDoor(identity, sessions);
    doors.set(id, door);
    return door;
  }

  async function checkTokens(): Promise<void> {
    if (isChecking || doors.size === 0) return;
    isChecking = true;
    try {
      const held = [...doors].map(([tokenId, { identity }]) => ({ tokenId, profile: identity.profile.name }));
      const ended = await listEndedTokens(options.db, held, options.now());
      await Promise.all(ended.map((tokenId) => endToken(tokenId)));
      if (ended.length > 0) await endSessionsOfTokens(options.db, ended, options.now());
      for (const [tokenId, door] of doors) {
        door.closeIdle();
        if (door.isIdle && performance.now() - door.usedAt > MCP_SESSION_IDLE_MS) await endToken(tokenId);
      }
    } catch (error) {
      log.warn({ err: error }, "the tokens of MCP clients could not be checked");
    } finally {
      isChecking = false;
    }
  }

  async function endToken(tokenId: string): Promise<void> {
    const door = doors.get(tokenId);
    doors.delete(tokenId);
    sessions.forget(tokenId);
    await door?.close("The token is no longer valid.");
  }

  async function serve(message: IncomingMessage, reply: ServerResponse): Promise<void> {
    const host = message.headers.host ?? null;
    const foreign = findForeignHost(options.hosts, { host, origin: message.headers.origin ?? null });
    if (foreign !== null) throw new KimitsuError("forbidden", foreign);
    const identity = await authenticateClient(options, {
      authorization: message.headers.authorization,
      address: String(message.headers["x-kimitsu-address"] ?? "unknown"),
    });
    options.countRequest(identity.caller.token.id);
    const body = message.method === "POST" ? parseJson(await readBody(message, MCP_BODY_BYTES_MAX)) : undefined;
    if (body === NOT_JSON) return writeResponse(notJson(), reply);
    const door = doorOf(identity);
    const exchange = new Exchange(door.held, () => options.markHeld(reply));
    const left = new AbortController();
    reply.once("close", () => {
      left.abort();
      exchange.end("The client left.");
      exchange.done();
    });
    const request = toWebRequest(message, options.origin, left.signal);
    bindExchange(request, exchange);
    const claim = claimOf(identity, body, message);
    const isLegacy = message.method !== "POST" || (await isLegacyRequest(request, body));
    const response = await (isLegacy
      ? door.serveLegacy({ request, body, claim })
      : door.serveModern({ request, body, claim }));
    await writeResponse(response, reply);
    for (const callId of exchange.answered) options.calls.markDelivered(callId);
  }

  return {
    async handle(message, reply) {
      try {
        await serve(message, reply);
      } catch (error) {
        if (reply.destroyed) return;
        if (reply.headersSent) return void reply.destroy();
        refuse(reply, error);
        // A body that nobody reads would block the connection.
        message.resume();
      }
    },
    close: async () => {
      clearInterval(check);
      const open = [...doors.values()];
      doors.clear();
      unwatch();
      await Promise.all(open.map((door) => door.release("This process is about to end.")));
    },
  };
}

const NOT_JSON = Symbol("not JSON");

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8")) as unknown;
  } catch {
    return NOT_JSON;
  }
}

/** In the protocol's own words, because the client is known by now. */
const notJson = (): Response =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32_700, message: "Parse error: the body is not JSON." }, id: null },
    { status: 400 },
  );

/** What the client says of itself, in either era. */
function claimOf({ caller, profile }: Identity, body: unknown, message: IncomingMessage): ClientClaim {
  const { params = {} } = (body ?? {}) as { params?: Record<string, unknown> };
  const meta = asObject(asObject(params)._meta);
  const info = asObject(meta[`${META}clientInfo`] ?? asObject(params).clientInfo);
  const version = meta[`${META}protocolVersion`] ?? asObject(params).protocolVersion;
  const conversation = meta[CONVERSATION_KEY];
  return {
    tokenId: caller.token.id,
    profile: profile.name,
    clientName: String(info.name ?? message.headers["user-agent"] ?? "unknown"),
    clientVersion: String(info.version ?? ""),
    protocolVersion: String(version ?? message.headers["mcp-protocol-version"] ?? ""),
    conversation: typeof conversation === "string" && conversation !== "" ? conversation.slice(0, 200) : null,
  };
}

const asObject = (value: unknown): Record<string, unknown> =>
  value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};

/** In the API's one shape. */
function refuse(reply: ServerResponse, error: unknown): void {
  const requestId = createId("request");
  const known = error instanceof KimitsuError ? error : null;
  if (!known) log.error({ request_id: requestId, err: error }, "an MCP request failed");
  const code = known?.code ?? "internal";
  const message = known?.message ?? `Something went wrong here; it is in the log under ${requestId}.`;
  const issues: Issue[] = known?.issues ?? [];
  const body = JSON.stringify({ error: { code, message, request_id: requestId, issues } });
  reply.writeHead(known?.httpStatus ?? 500, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...(known?.retryAfterS !== undefined && { "retry-after": String(known.retryAfterS) }),
    ...challengeOf(code),
  });
  reply.end(body);
}

function challengeOf(code: string): Record<string, string> {
  if (code === "unauthorized") return { "www-authenticate": 'Bearer realm="kimitsu", error="invalid_token"' };
  return code === "forbidden"
    ? { "www-authenticate": 'Bearer realm="kimitsu", error="insufficient_scope", scope="mcp"' }
    : {};
}
