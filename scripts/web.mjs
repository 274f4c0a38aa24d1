/**
 * The web process: Next.js behind our own HTTP server, which decides where to listen, which source of the client's
 * address to trust, and how to end. Arguments: `--dev` for development.
 */
import http from "node:http";
import { isMissingAddress, listenAddresses, portTakenError } from "./process/ports.mjs";
import { reportFailure } from "./plain-error.mjs";
import { continueOnApplicationNode, requireSupportedNode, ROOT, setting, webAddress } from "./runtime.mjs";
import { refuseMalformed } from "./web/web-address.mjs";
import { trustHeaders } from "./web/web-headers.mjs";
import { isEventStream, readRequestsMax, refuseWhenBusy } from "./web/web-limits.mjs";
import { serveMcp } from "./web/web-mcp.mjs";
import { markOperation } from "./web/web-operation.mjs";

const EXIT_WITHIN_MS = 10_000;
/** A client that sends its request slower than this wastes a connection. */
const HEADERS_TIMEOUT_MS = 15_000;
const REQUEST_TIMEOUT_MS = 60_000;

requireSupportedNode();
await continueOnApplicationNode();

// The reader of our output may end before us; that must not stop the orderly end.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});

const dev = process.argv.includes("--dev");
const { host, port } = webAddress();
const requestsMax = readRequestsMax();
const open = new Set();
const upgraded = new Set();
const servers = [];
let app;
let closing;

async function main() {
  // Next tells of what failed while it loads, and waits for it forever; a process that will never listen must end.
  process.on("unhandledRejection", fail);
  // React and Next choose their code by this while they load, so it is set before they are.
  process.env.NODE_ENV = dev ? "development" : "production";
  const { default: next } = await import("next");
  // Next hears of upgrades (live reload, in development) from one server only, and we may have two: this one stands for
  // both.
  const doorway = http.createServer();
  app = next({ dev, dir: ROOT, hostname: host, port, httpServer: doorway });
  await app.prepare();
  const handle = app.getRequestHandler();
  const trustProxy = ["1", "true", "on"].includes(setting("KIMITSU_TRUST_PROXY", ""));

  for (const address of listenAddresses(host)) {
    const server = http.createServer(
      {
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: 10_000,
        connectionsCheckingInterval: 5_000,
      },
      (request, response) => {
        open.add(response);
        response.once("close", () => open.delete(response));
        if (closing) response.setHeader("connection", "close");
        if (refuseMalformed(request, response) || refuseWhenBusy(request, response, { open, max: requestsMax })) return;
        trustHeaders(request, trustProxy);
        if (serveMcp(request, response)) return;
        markOperation(request, response);
        void handle(request, response);
      },
    );
    server.on("upgrade", (request, socket, head) => {
      trustHeaders(request, trustProxy);
      upgraded.add(socket.once("close", () => upgraded.delete(socket)));
      if (!dev || !doorway.emit("upgrade", request, socket, head)) socket.destroy();
    });
    const isOptional = host === "localhost" && address === "::1";
    if (await listen(server, address, isOptional)) servers.push(server);
  }
  process.off("unhandledRejection", fail);
  process.send?.({ listening: port });
}

function listen(server, address, isOptional) {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => {
      if (isOptional && isMissingAddress(error)) resolve(false);
      else reject(error.code === "EADDRINUSE" ? portTakenError(host, port) : error);
    });
    server.listen(port, address, () => resolve(true));
  });
}

/** Takes no new requests, lets the application give back what it holds and running requests finish, then ends. */
async function close() {
  const forced = setTimeout(() => process.exit(0), EXIT_WITHIN_MS);
  forced.unref();
  const closed = servers.map((server) => new Promise((resolve) => server.close(resolve)));
  for (const server of servers) server.closeIdleConnections();
  try {
    await globalThis.__kimitsuShutdown?.();
  } catch (error) {
    console.error("The application did not shut down cleanly:", error);
  }
  // A stream of events has no end of its own; its reader connects again when we are back.
  for (const response of open) if (isEventStream(response)) response.destroy();
  for (const socket of upgraded) socket.destroy();
  await Promise.all([...closed, app?.close()]);
  process.exit(0);
}

const closeOnce = () => (closing ??= close());
process.on("SIGTERM", closeOnce);
process.on("SIGINT", closeOnce);
// The channel ends with the start script, also when that was killed.
process.on("disconnect", closeOnce);

function fail(error) {
  process.exit(reportFailure(error));
}

main().catch(fail);
