/**
 * What one process holds for one token: its sessions of the older protocol, its requests that are held, and who listens
 * to changes. Nothing of it is ever shared with another token.
 */
import { randomBytes } from "node:crypto";
import {
  createMcpHandler,
  isInitializeRequest,
  type McpHttpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { buildServer } from "@/lib/proxy/build-server";
import type { ClientClaim, ClientSessions } from "@/lib/proxy/client-sessions";
import type { Exchange } from "@/lib/proxy/exchange";
import type { ListeningClient } from "@/lib/proxy/listening-client";
import type { McpClient } from "@/lib/proxy/mcp-client";
import { createToolView, initialState, type ToolsetState, type ToolView } from "@/lib/proxy/tool-view";
import type { StoredSession } from "@/lib/proxy/queries/find-session";
import { endSessionRow } from "@/lib/proxy/transitions/write-session";
import { MCP_SESSION_IDLE_MS, MCP_SESSIONS_PER_TOKEN_MAX } from "@/lib/limits";
import { log } from "@/lib/log";

/** Who asks: a client whose session is not known yet. */
export type Identity = Omit<McpClient, "caller"> & { caller: Omit<McpClient["caller"], "sessionId" | "client"> };

type ClientNames = Pick<StoredSession, "clientName" | "clientVersion">;

interface LegacySession {
  id: string;
  product: McpServer;
  transport: WebStandardStreamableHTTPServerTransport;
  usedAt: number;
}

export interface DoorRequest {
  request: Request;
  body: unknown;
  claim: ClientClaim;
}

const notFound = () =>
  Response.json(
    { jsonrpc: "2.0", error: { code: -32_001, message: "There is no such session; initialize again." }, id: null },
    { status: 404 },
  );
const badRequest = (message: string) =>
  Response.json({ jsonrpc: "2.0", error: { code: -32_000, message }, id: null }, { status: 400 });

export class TokenDoor implements ListeningClient {
  readonly held = new Set<Exchange>();
  readonly #modern: McpHttpHandler;
  readonly #legacy = new Map<string, LegacySession>();
  /** By session: what it has loaded beside what the profile opens. */
  readonly #toolsets = new Map<string, ToolsetState>();
  readonly #clients = new WeakMap<Request, { client: McpClient; view: ToolView; calledTool: string | null }>();
  usedAt = performance.now();

  constructor(
    readonly identity: Identity,
    private readonly sessions: ClientSessions,
  ) {
    this.#modern = createMcpHandler(({ requestInfo }) => this.#buildModern(requestInfo), {
      legacy: "reject",
      onerror: (error) => log.debug({ err: error, token_id: identity.caller.token.id }, "an MCP request was refused"),
    });
  }

  get isIdle(): boolean {
    return this.held.size === 0 && this.#legacy.size === 0;
  }

  async serveModern({ request, body, claim }: DoorRequest): Promise<Response> {
    const client = this.#toClient(await this.sessions.find(claim), claim);
    const { method, params } = body as { method?: unknown; params?: { name?: unknown } };
    const calledTool = method === "tools/call" && typeof params?.name === "string" ? params.name : null;
    this.#clients.set(request, { client, view: this.#viewOf(client), calledTool });
    return this.#modern.fetch(request, { parsedBody: body });
  }

  async #buildModern(request: Request | undefined): Promise<McpServer> {
    const known = request && this.#clients.get(request);
    if (!known) throw new Error("unreachable: a request that did not come through the door");
    const { client, view, calledTool } = known;
    return buildServer({
      client,
      view,
      era: "modern",
      calledTool: calledTool === null ? null : await view.peek(calledTool),
    });
  }

  async serveLegacy({ request, body, claim }: DoorRequest): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    const session = id === null ? await this.#open(request, body, claim) : await this.#findLegacy(id);
    if (session instanceof Response) return session;
    if (!session) return notFound();
    session.usedAt = performance.now();
    this.sessions.touch(session.id);
    return session.transport.handleRequest(request, body === undefined ? {} : { parsedBody: body });
  }

  async #open(request: Request, body: unknown, claim: ClientClaim): Promise<LegacySession | Response> {
    if (request.method !== "POST") return badRequest("This request needs the Mcp-Session-Id of its session.");
    if (!isInitializeRequest(body))
      return badRequest("This request needs the Mcp-Session-Id of its session; initialize first.");
    const transportId = randomBytes(32).toString("base64url");
    return this.#connect(transportId, { ...claim, id: await this.sessions.open(claim, transportId) });
  }

  /** Another process may have opened it, or this one before a restart. */
  async #findLegacy(transportId: string): Promise<LegacySession | null> {
    const known = this.#legacy.get(transportId);
    if (known) return known;
    const { caller, profile } = this.identity;
    const stored = await this.sessions.restore(caller.token.id, transportId);
    if (!stored || stored.profile !== profile.name) return null;
    return this.#legacy.get(transportId) ?? (await this.#connect(transportId, stored, { isRestored: true }));
  }

  async #connect(transportId: string, stored: StoredSession, { isRestored = false } = {}): Promise<LegacySession> {
    const client = this.#toClient(stored.id, stored);
    const product = await buildServer({ client, view: this.#viewOf(client), era: "legacy" });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => transportId,
      onsessionclosed: () => this.#closed(transportId),
    });
    await product.connect(transport);
    const session = { id: stored.id, product, transport, usedAt: performance.now() };
    if (isRestored) await resume(transport, stored);
    this.#makeRoom();
    this.#legacy.set(transportId, session);
    return session;
  }

  /** The client ended it. */
  #closed(transportId: string): void {
    const session = this.#legacy.get(transportId);
    if (!session) return;
    this.#legacy.delete(transportId);
    this.#toolsets.delete(session.id);
    const { db, now } = this.identity.deps;
    endSessionRow(db, session.id, now()).catch((error: unknown) =>
      log.warn({ err: error, session: session.id }, "the end of a session was not written"),
    );
  }

  #makeRoom(): void {
    if (this.#legacy.size < MCP_SESSIONS_PER_TOKEN_MAX) return;
    const [oldest] = [...this.#legacy].toSorted(([, left], [, right]) => left.usedAt - right.usedAt);
    if (oldest) this.#drop(oldest[0]);
  }

  #drop(transportId: string): void {
    const session = this.#legacy.get(transportId);
    this.#legacy.delete(transportId);
    void session?.product.close().catch(() => {});
  }

  closeIdle(): void {
    for (const [id, { usedAt }] of this.#legacy) if (performance.now() - usedAt > MCP_SESSION_IDLE_MS) this.#drop(id);
  }

  #toClient(sessionId: string, { clientName, clientVersion }: ClientNames): McpClient {
    const { caller, ...rest } = this.identity;
    return { ...rest, caller: { ...caller, sessionId, client: `${clientName} ${clientVersion}`.trim() } };
  }

  #viewOf(client: McpClient): ToolView {
    const { sessionId } = client.caller;
    const state = this.#toolsets.get(sessionId) ?? {
      loaded: initialState(client),
      onChange: () => this.toolsChanged(),
    };
    if (state.loaded !== null) this.#toolsets.set(sessionId, state);
    return createToolView(client, state);
  }

  toolsChanged(): void {
    this.#modern.notify.toolsChanged();
    for (const { product } of this.#legacy.values()) void product.server.sendToolListChanged().catch(() => {});
  }

  /** Held requests are answered with what is known now. */
  async release(reason: string): Promise<void> {
    await Promise.all([...this.held].map((exchange) => exchange.release(reason)));
  }

  /** Ends all that is open, with everything that waits. Nothing of the calls is lost. */
  async close(reason: string): Promise<void> {
    for (const exchange of this.held) exchange.end(reason);
    const open = [...this.#legacy.values()];
    this.#legacy.clear();
    await Promise.all([this.#modern.close(), ...open.map(({ product }) => product.close())]);
  }
}

/** The handshake was made with another process, or with this one before a restart: it is repeated here, unseen. */
async function resume(transport: WebStandardStreamableHTTPServerTransport, stored: StoredSession): Promise<void> {
  const params = {
    protocolVersion: stored.protocolVersion,
    capabilities: {},
    clientInfo: { name: stored.clientName, version: stored.clientVersion },
  };
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const request = new Request("http://localhost/mcp", { method: "POST", headers, body: "{}" });
  const parsedBody = { jsonrpc: "2.0", id: 0, method: "initialize", params };
  await (await transport.handleRequest(request, { parsedBody })).text();
}
