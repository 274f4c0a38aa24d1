/** One connection to one server with one credential: its client, its list of tools, and how long it is kept. */
import { Client, SdkHttpError, type StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { processLimitsOf } from "@/lib/config/server-schema";
import { KimitsuError } from "@/lib/errors";
import { fetchToolList, type ToolList } from "./list-tools";
import { ServerEnded } from "./call-watch";
import type { ProcessEnd } from "./hosted-process";
import { openTransport, type TransportKind, type TransportOptions } from "./open-transport";
import { CONNECT_TIMEOUT_MS, PING_AFTER_MS } from "./tool-limits";
import { isForCallsAlone, matchSecrets, type ToolServer } from "./tool-server";
import { untilAborted } from "./until-aborted";

const CLIENT_INFO = { name: "kimitsu", title: "Kimitsu", version: "1.0.0" };
/** How long ending a session may take; a server that does not answer in time is abandoned. */
const SESSION_END_MS = 1_000;
const LIST_CHANGE_SETTLE_MS = 50;
const REFRESH_EVERY_MS = 1_000;

export interface ConnectionHooks {
  now: () => number;
  onListChanged: (list: ToolList) => void;
}

interface Opening {
  server: ToolServer;
  options: Omit<TransportOptions, "onExceeded">;
  hooks: ConnectionHooks;
  signal: AbortSignal;
  /** True: it is not asked for the newest revision of the protocol. */
  isOld: boolean;
}

export class Connection {
  readonly server: ToolServer;
  /** It was not asked for the newest revision of the protocol, and need not be the next time. */
  readonly isOld: boolean;
  private readonly hooks: ConnectionHooks;
  /** Calls and lists in progress. */
  users = 0;
  lastUsedAt: number;
  #isBroken = false;
  /** A side channel failed, such as the stream of announcements; the session may be gone. */
  #isDoubtful = false;
  #isClosed = false;
  #list: ToolList | null = null;
  /** The newest list that was read, whether or not it may still be used. */
  #known: ToolList | null = null;
  #fetching: Promise<ToolList> | null = null;
  /** Counts announced changes: a list that was requested before the latest one is not kept. */
  #generation = 0;
  #refreshedAt = Number.NEGATIVE_INFINITY;

  private constructor(
    readonly client: Client,
    private readonly transport: Transport,
    { server, hooks, isOld }: Opening,
  ) {
    this.server = server;
    this.hooks = hooks;
    this.isOld = isOld;
    this.lastUsedAt = hooks.now();
  }

  /**
   * Throws the error of the last transport tried. With `http`, a server that does not know Streamable HTTP is tried
   * with HTTP+SSE. A program that ended when it was asked for the newest revision is started once more without asking.
   */
  static async open(opening: Opening): Promise<Connection> {
    const kind = kindOf(opening.server);
    try {
      return await Connection.create(kind, opening);
    } catch (error) {
      if (error instanceof ServerEnded && !isOld(kind, opening))
        return Connection.create(kind, { ...opening, isOld: true });
      if (kind !== "http" || !isOtherTransport(error)) throw error;
      return Connection.create("sse", opening).catch((second: unknown) => {
        // For a server that speaks neither, its first error is more useful.
        throw isOtherTransport(second) ? error : second;
      });
    }
  }

  static async create(kind: TransportKind, opening: Opening): Promise<Connection> {
    const { server, options, signal } = opening;
    let connection: Connection | null = null;
    let end: ProcessEnd | null = null;
    const client = new Client(CLIENT_INFO, {
      // Nothing is declared: a server that asks for sampling, elicitation or roots gets "method not found".
      capabilities: {},
      versionNegotiation: { mode: isOld(kind, opening) ? "legacy" : "auto" },
      inputRequired: { autoFulfill: false },
      listChanged: {
        tools: {
          autoRefresh: false,
          debounceMs: LIST_CHANGE_SETTLE_MS,
          onChanged: () => void connection?.refreshList(),
        },
      },
    });
    const giveUp = () => void client.close().catch(() => {});
    const transport = await openTransport(kind, server, {
      ...options,
      onExceeded: () => (connection ? connection.break() : giveUp()),
      hosting: {
        ...options.hosting,
        onEnded: (ended) => {
          end = ended;
          // An older program may end at a request that it does not know; that counts for nothing yet.
          if (connection || isOld(kind, opening)) options.hosting.onEnded(ended);
        },
      },
    });
    // A program may have to be fetched before it can answer.
    const timeoutMs = kind === "stdio" ? processLimitsOf(server.definition).start_timeout : CONNECT_TIMEOUT_MS;
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      await untilAborted(client.connect(transport, { timeout: timeoutMs, signal: deadline }), deadline);
    } catch (error) {
      giveUp();
      void transport.close().catch(() => {});
      throw describeEnd(end) ?? error;
    }
    connection = new Connection(client, transport, opening);
    client.onclose = () => connection!.retire();
    // HTTP+SSE would reconnect as another session, without a handshake.
    client.onerror =
      kind === "sse"
        ? (error) => (isGivenUp(error) ? undefined : connection!.break())
        : () => (connection!.#isDoubtful = true);
    return connection;
  }

  get isUsable(): boolean {
    return !this.#isBroken && !this.#isClosed;
  }

  /**
   * False when a session that was long unused, or is in doubt, no longer exists; checked before a call is sent on it.
   */
  async isAlive(signal: AbortSignal): Promise<boolean> {
    if (!this.isUsable) return false;
    const isRecent = this.hooks.now() - this.lastUsedAt < PING_AFTER_MS;
    if (this.client.getProtocolEra() === "modern" || (isRecent && !this.#isDoubtful)) return true;
    try {
      await this.client.ping({ timeout: CONNECT_TIMEOUT_MS, signal });
      this.#isDoubtful = false;
      return this.isUsable;
    } catch {
      if (!signal.aborted) this.retire();
      return false;
    }
  }

  /** The list, not older than given. Concurrent requests share one read. */
  async listTools(ageMaxMs: number): Promise<ToolList> {
    if (this.#list && this.hooks.now() - this.#list.fetchedAt <= ageMaxMs) return this.#list;
    if (this.#fetching) return this.#fetching;
    const fetching = this.#fetch().finally(() => {
      if (this.#fetching === fetching) this.#fetching = null;
    });
    this.#fetching = fetching;
    return fetching;
  }

  /**
   * After `list_changed`: the old list is dropped first, so that nothing is judged by it if the new one cannot be read.
   * A server that announces endlessly is not polled endlessly: its list is read when it is next needed.
   */
  async refreshList(): Promise<void> {
    if (isForCallsAlone(this.server)) return;
    this.#list = null;
    this.#fetching = null;
    this.#generation += 1;
    if (this.hooks.now() - this.#refreshedAt < REFRESH_EVERY_MS) return;
    this.#refreshedAt = this.hooks.now();
    await this.listTools(0).then(this.hooks.onListChanged, () => {});
  }

  async #fetch(): Promise<ToolList> {
    const { server, client } = this;
    const generation = this.#generation;
    try {
      const read = await fetchToolList(client, {
        serverName: server.definition.name,
        matcher: matchSecrets(server),
        now: this.hooks.now(),
      });
      // Equal definitions stay the same objects, so that what was derived from them (compiled schemas, fingerprints) is
      // not derived again for each call.
      const list = read.hash === this.#known?.hash ? { ...read, tools: this.#known.tools } : read;
      if (generation === this.#generation) this.#list = list;
      this.#known = list;
      return list;
    } catch (error) {
      // A list that cannot be read may mean that the session is gone; a list that is refused says nothing about the
      // connection.
      if (!(error instanceof KimitsuError)) this.retire();
      throw error;
    }
  }

  /** Takes no new use; closes when the last one is done. */
  retire(): void {
    this.#isBroken = true;
    if (this.users === 0) void this.close();
  }

  /** Ends it at once, with everything that waits on it. */
  break(): void {
    this.#isBroken = true;
    void this.close();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { transport } = this;
    if ("terminateSession" in transport && !this.#isBroken) {
      await untilAborted(
        (transport as StreamableHTTPClientTransport).terminateSession(),
        AbortSignal.timeout(SESSION_END_MS),
      ).catch(() => {});
    }
    await this.client.close().catch(() => {});
  }
}

/**
 * A request that we aborted ourselves. Over HTTP+SSE an answer may come while its request is still open; the end of
 * that one call says nothing about others that wait on the same stream.
 */
const isGivenUp = ({ name }: Error): boolean => name === "AbortError" || name === "TimeoutError";

function isOld(kind: TransportKind, { isOld, server }: Opening): boolean {
  return isOld || kind === "sse" || server.definition.params_transport === "config";
}

/** The end of its program explains more than the connection that it closed. */
function describeEnd(end: ProcessEnd | null): ServerEnded | null {
  return end === null || end.isExpected ? null : new ServerEnded(end.reason);
}

function kindOf({ definition }: ToolServer): TransportKind {
  if (definition.url === undefined && definition.transport === "http") return "builtin";
  return definition.transport;
}

/** How a server answers that does not take POST at this address, as the MCP specification lists it. */
function isOtherTransport(error: unknown): boolean {
  return error instanceof SdkHttpError && [400, 404, 405, 406, 415, 501].includes(error.data.status ?? 0);
}
