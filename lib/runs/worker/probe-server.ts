/**
 * What a process without a web server reports on its own port: whether it answers, and its metrics for clients with a
 * token.
 */
import { createServer, type IncomingMessage } from "node:http";
import { roleAllows } from "@/lib/people/rules/roles";
import { authenticateToken } from "@/lib/people/authenticate-token";
import type { EngineDeps } from "@/lib/database/deps";
import { readMetrics } from "@/lib/runs/read-metrics";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";

const NEEDED = "runs:read";

interface Answer {
  status: number;
  type: string;
  text: string;
}

/** Rejects when the port cannot be opened. */
export async function openProbes(
  deps: EngineDeps,
  { host, port }: { host: string; port: number },
): Promise<{ close(): void }> {
  const server = createServer({ requestTimeout: 10_000 }, (request, response) => {
    void answer(deps, request).then(({ status, type, text }) =>
      response.writeHead(status, { "content-type": type, "cache-control": "no-store" }).end(text),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(
        new KimitsuError(
          "config_invalid",
          `KIMITSU_WORKER_PORT ${port} on ${host} cannot be listened on: ${error.code ?? error.message}.`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  return {
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function answer(deps: EngineDeps, request: IncomingMessage): Promise<Answer> {
  try {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    if (request.method !== "GET")
      throw new KimitsuError("not_found", "A worker answers GET /healthz and GET /metrics only.");
    if (pathname === "/healthz")
      return { status: 200, type: "application/json", text: JSON.stringify({ status: "ok" }) };
    if (pathname !== "/metrics")
      throw new KimitsuError("not_found", "A worker answers GET /healthz and GET /metrics only.");
    await requireToken(deps, request);
    const { text, contentType } = await readMetrics(deps);
    return { status: 200, type: contentType, text };
  } catch (error) {
    const known =
      error instanceof KimitsuError ? error : new KimitsuError("internal", "Something went wrong; the log has it.");
    if (known !== error) log.error({ err: error }, "a probe could not be answered");
    return {
      status: known.httpStatus,
      type: "application/json",
      text: JSON.stringify({ error: { code: known.code, message: known.message } }),
    };
  }
}

async function requireToken(deps: EngineDeps, request: IncomingMessage): Promise<void> {
  const token = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (!token)
    throw new KimitsuError(
      "unauthorized",
      `Send an API token with the scope ${NEEDED}: Authorization: Bearer <token>.`,
    );
  const { name, scopes, user } = await authenticateToken(deps, {
    token,
    address: request.socket.remoteAddress ?? "unknown",
  });
  if (!scopes.includes(NEEDED) || !roleAllows(user.role, NEEDED))
    throw new KimitsuError("forbidden", `The token ${name} has no scope ${NEEDED}.`);
}
