/**
 * The connections of one process to tool servers. They are shared by all uses of the same server with the same params
 * and credential, opened when first needed, replaced when broken, and closed when unused.
 */
import { createSecretKey, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { KimitsuError } from "@/lib/errors";
import { Connection } from "./connection";
import { describeFailure, findRefusal, isPassing } from "./describe-failure";
import { createEgress } from "./egress";
import type { BodyLimits } from "./limit-body";
import type { ToolList } from "./list-tools";
import { createMemoryWatch } from "./memory-watch";
import type { TransportOptions } from "./open-transport";
import { createRestartGate, RestartDelayed } from "./restart-gate";
import { BODY_LIMITS, CONNECT_BACKOFF_MS, CONNECT_TRIES, IDLE_CLOSE_MS } from "./tool-limits";
import { connectionKey, matchSecrets, toListed, type ToolServer } from "./tool-server";
import { untilAborted } from "./until-aborted";

export interface ToolPoolOptions {
  /** Private or loopback hosts that may be reached: KIMITSU_ALLOW_HOSTS. */
  allowHosts: readonly string[];
  /** Null unless the deployment allows tool servers as processes; `env` is what they see, usually PATH alone. */
  stdio: TransportOptions["stdio"];
  /** Opens the built-in servers (`kimitsu/files`, …). */
  openBuiltin?: TransportOptions["openBuiltin"];
  /** Called after a server has announced a change and the new list was read. */
  onListChanged?: (server: string, list: ToolList) => void;
  /** Called when the program of a server ended although nobody closed it, with the reason. */
  onProgramEnded?: (server: string, reason: string) => void;
  /** Called for each line that the program of a server writes to its standard error, without secrets. */
  onStderr?: (server: string, line: string) => void;
  limits?: Partial<BodyLimits>;
  memoryLookIntervalMs?: number;
  idleCloseMs?: number;
  connectBackoffMs?: number;
  now?: () => number;
}

/** No connection could be opened, so nothing was sent. `isPassing`: trying again later may help. */
export class ServerUnreachable extends KimitsuError {
  constructor(
    message: string,
    readonly isPassing: boolean,
    cause: unknown,
  ) {
    super("tool_failed", message, { cause });
  }
}

export interface ToolPool {
  /**
   * The server's tools, not older than its `refresh` or than `ageMaxMs`. Throws ServerUnreachable, or `tool_failed` for
   * a list that cannot be used.
   */
  listTools(server: ToolServer, options?: { ageMaxMs?: number; signal?: AbortSignal }): Promise<ToolList>;
  /** Provides a live connection for the duration of `work`; only for `callTool`. Throws ServerUnreachable. */
  use<T>(server: ToolServer, signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Calls the listener after a server has announced a change and its new list was read. Returns how to stop. */
  watchLists(listener: (server: string) => void): () => void;
  /** Ends all connections. Calls in progress end as unknown. */
  close(): Promise<void>;
}

export function createToolPool(options: ToolPoolOptions): ToolPool {
  const { now = Date.now, idleCloseMs = IDLE_CLOSE_MS, connectBackoffMs = CONNECT_BACKOFF_MS } = options;
  const egress = createEgress(options);
  const key = createSecretKey(randomBytes(32));
  const open = new Map<string, Promise<Connection>>();
  const watchers = new Set<(server: string) => void>();
  const ended = new AbortController();
  const gate = createRestartGate(now);
  /** Programs that end when they are asked for the newest revision of the protocol. */
  const oldPrograms = new Set<string>();
  const memory = createMemoryWatch(options.memoryLookIntervalMs);
  const transportOptions = {
    egress,
    stdio: options.stdio,
    openBuiltin: options.openBuiltin ?? null,
    limits: { ...BODY_LIMITS, ...options.limits },
  };

  const sweep = setInterval(() => void closeIdle(), Math.min(idleCloseMs, 30_000));
  sweep.unref();

  async function closeIdle(): Promise<void> {
    for (const [id, pending] of open) {
      const connection = await pending.catch(() => null);
      const idleMs = connection?.server.definition.limits?.idle ?? idleCloseMs;
      if (!connection || connection.users > 0 || now() - connection.lastUsedAt < idleMs) continue;
      if (open.get(id) === pending) open.delete(id);
      await connection.close();
    }
  }

  function hostingOf(id: string, name: string): TransportOptions["hosting"] {
    return {
      memory,
      now,
      onStderr: (line) => options.onStderr?.(name, line),
      onEnded: ({ isExpected, ...end }) => {
        if (isExpected) return;
        gate.ended(id, end);
        options.onProgramEnded?.(name, end.reason);
      },
    };
  }

  function openConnection(server: ToolServer, id: string): Promise<Connection> {
    const { name } = server.definition;
    const onListChanged = (list: ToolList) => {
      options.onListChanged?.(name, list);
      for (const watcher of watchers) watcher(name);
    };
    const hooks = { now, onListChanged };
    const opening = () => ({
      server,
      options: { ...transportOptions, hosting: hostingOf(id, name) },
      hooks,
      signal: ended.signal,
      isOld: oldPrograms.has(id),
    });
    const attempt = async () => {
      gate.check(id);
      const connection = await Connection.open(opening());
      if (connection.isOld) oldPrograms.add(id);
      return connection;
    };
    return tryThrice(attempt, connectBackoffMs, ended.signal);
  }

  /**
   * One attempt serves all who wait for the same connection; a failed one is dropped, so that the next use tries again.
   */
  async function acquire(server: ToolServer, signal: AbortSignal): Promise<Connection> {
    ended.signal.throwIfAborted();
    const id = connectionKey(server, key);
    for (let attempt = 1; attempt <= CONNECT_TRIES; attempt += 1) {
      const pending = open.get(id) ?? openConnection(server, id);
      open.set(id, pending);
      const connection = await untilAborted(pending, signal).catch((error: unknown) => {
        if (!signal.aborted && open.get(id) === pending) open.delete(id);
        throw error;
      });
      connection.users += 1;
      if (await connection.isAlive(signal)) return connection;
      release(connection);
      signal.throwIfAborted();
      if (open.get(id) === pending) open.delete(id);
    }
    throw Object.assign(new Error("it ends every connection at once"), { code: "ECONNRESET" });
  }

  function release(connection: Connection): void {
    connection.users -= 1;
    connection.lastUsedAt = now();
    if (connection.users === 0 && !connection.isUsable) void connection.close();
  }

  async function use<T>(
    server: ToolServer,
    signal: AbortSignal,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const connection = await acquire(server, signal).catch((error: unknown) => {
      throw unreachable(server, error);
    });
    try {
      return await work(connection);
    } finally {
      release(connection);
    }
  }

  return {
    use,
    listTools: (server, { ageMaxMs = server.definition.refresh, signal = ended.signal } = {}) =>
      use(toListed(server), signal, async (connection) => {
        try {
          return await untilAborted(connection.listTools(ageMaxMs), signal);
        } catch (error) {
          throw unreachable(server, error);
        }
      }),
    watchLists: (listener) => {
      watchers.add(listener);
      return () => void watchers.delete(listener);
    },
    close: async () => {
      clearInterval(sweep);
      ended.abort(new Error("The pool of tool servers is closed."));
      const connections = await Promise.all([...open.values()].map((pending) => pending.catch(() => null)));
      open.clear();
      await Promise.all(connections.map((connection) => connection?.close()));
      await egress.close();
    },
  };
}

function unreachable(server: ToolServer, error: unknown): KimitsuError {
  if (error instanceof ServerUnreachable) return error;
  const reason = describeFailure(error, matchSecrets(server));
  return new ServerUnreachable(
    `Server ${server.definition.name} cannot be used: ${reason.replace(/\.$/, "")}.`,
    isPassing(error) && findRefusal(error) === null,
    error,
  );
}

/** Three tries with growing pauses, for temporary failures. */
async function tryThrice<T>(work: () => Promise<T>, backoffMs: number, signal: AbortSignal): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isFinal = !isPassing(error) || findRefusal(error) !== null || error instanceof RestartDelayed;
      if (attempt >= CONNECT_TRIES || isFinal) throw error;
      await sleep(backoffMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }
}
