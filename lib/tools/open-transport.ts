/** Creates the transport to a server, and makes sure that only params and calls are sent on it as intended. */
import {
  type JSONRPCMessage,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/client";
import { revealSecrets } from "@/lib/config/secret-ref";
import { processLimitsOf } from "@/lib/config/server-schema";
import { KimitsuError } from "@/lib/errors";
import { callContext, sendContext } from "./call-watch";
import type { Egress } from "./egress";
import type { ProcessEnd } from "./hosted-process";
import type { BodyLimits } from "./limit-body";
import type { MemoryWatch } from "./memory-watch";
import { createServerFetch } from "./server-fetch";
import { StdioTransport } from "./stdio-transport";
import { matchSecretLines, revealParams, type ToolServer } from "./tool-server";

/** Under this key of `_meta` a server finds its params. */
export const PARAMS_META_KEY = "dev.kimitsu/params";

export type TransportKind = "http" | "sse" | "stdio" | "builtin";

export interface TransportOptions {
  egress: Egress;
  /**
   * Null: tool servers as processes are not allowed. `env` is all that such a process sees besides its own variables.
   */
  stdio: { env: Readonly<Record<string, string>> } | null;
  /** What the pool wants to know of the process of a server. */
  hosting: {
    memory: MemoryWatch;
    now: () => number;
    onStderr: (line: string) => void;
    onEnded: (end: ProcessEnd & { livedMs: number }) => void;
  };
  /** Opens a server that runs inside this process. What it requests goes through the same guard. */
  openBuiltin: ((server: ToolServer, params: Record<string, unknown>, egress: Egress) => Promise<Transport>) | null;
  limits: BodyLimits;
  onExceeded(): void;
}

export async function openTransport(
  kind: TransportKind,
  server: ToolServer,
  options: TransportOptions,
): Promise<Transport> {
  const transport = await createTransport(kind, server, options);
  guardSending(transport, server, kind === "builtin");
  return transport;
}

async function createTransport(kind: TransportKind, server: ToolServer, options: TransportOptions): Promise<Transport> {
  const { definition } = server;
  if (kind === "builtin") {
    if (!options.openBuiltin)
      throw new KimitsuError(
        "config_invalid",
        `Server ${definition.name} is part of Kimitsu, but this process does not run it.`,
      );
    return options.openBuiltin(server, revealParams(server), options.egress);
  }
  if (kind === "stdio") return createStdio(server, options);
  if (definition.url === undefined) throw new KimitsuError("config_invalid", `Server ${definition.name} has no url.`);
  const url = new URL(definition.url);
  const fetch = createServerFetch({
    server,
    origin: url.origin,
    guardedFetch: options.egress.guardedFetch,
    limits: options.limits,
    onExceeded: options.onExceeded,
  });
  if (kind === "sse") return new SSEClientTransport(url, { fetch });
  return new StreamableHTTPClientTransport(url, {
    fetch,
    onInsufficientScope: "throw",
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 10_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
}

function createStdio(server: ToolServer, { stdio, hosting, limits }: TransportOptions): Transport {
  const { name, command, args = [] } = server.definition;
  if (!stdio)
    throw new KimitsuError(
      "config_invalid",
      `Server ${name} is a process (stdio), which this deployment does not allow; set KIMITSU_ALLOW_STDIO=1 where Kimitsu runs.`,
    );
  if (command === undefined) throw new KimitsuError("config_invalid", `Server ${name} has no command.`);
  const env = revealSecrets(server.resolved.env, server.secrets) as Record<string, string>;
  return new StdioTransport({
    program: { command, args, env: { ...stdio.env, ...env } },
    memory: { watch: hosting.memory, limitBytes: processLimitsOf(server.definition).memory_mb * 1024 * 1024 },
    stderr: { matcher: () => matchSecretLines(server), onLine: hosting.onStderr, now: hosting.now },
    limits,
    onEnded: hosting.onEnded,
  });
}

/**
 * Every message passes here. Params are added at the last moment, so that their secrets are in no object that is kept.
 * A tool call passes only from inside `callTool`, and once.
 */
function guardSending(transport: Transport, server: ToolServer, isInProcess: boolean): void {
  const send = transport.send.bind(transport);
  transport.send = async (message: JSONRPCMessage, options?: TransportSendOptions) => {
    if (methodOf(message) !== "tools/call")
      return sendContext.run(null, () => send(withParams(message, server), options));
    const call = callContext.getStore();
    if (!call) throw new Error("unreachable: a tool call that did not come through callTool");
    call.claim();
    // A server in this process has no socket: what it is given has arrived.
    if (isInProcess) call.markSent();
    return sendContext.run(call, () => send(withParams(message, server), options));
  };
}

function methodOf(message: JSONRPCMessage): string | null {
  return "method" in message ? message.method : null;
}

function withParams(message: JSONRPCMessage, server: ToolServer): JSONRPCMessage {
  const method = methodOf(message);
  const isConfig = server.definition.params_transport === "config";
  if (
    isConfig ? method !== "initialize" : method !== "initialize" && method !== "tools/list" && method !== "tools/call"
  )
    return message;
  const values = revealParams(server);
  if (Object.keys(values).length === 0) return message;
  const params = ("params" in message ? message.params : undefined) as { _meta?: Record<string, unknown> } | undefined;
  const extra = isConfig ? { config: values } : { _meta: { ...params?._meta, [PARAMS_META_KEY]: values } };
  return { ...message, params: { ...params, ...extra } } as JSONRPCMessage;
}
