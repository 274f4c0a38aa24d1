import net from "node:net";
import { PlainError } from "../plain-error.mjs";

/**
 * A port that nobody listens on right now. Another program may take it before it is used, so its user must handle that.
 */
export function freePort(host = "127.0.0.1") {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, host, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** `localhost` means both loopback addresses: browsers differ in which they try first. Never all interfaces. */
export const listenAddresses = (host) => (host === "localhost" ? ["127.0.0.1", "::1"] : [host]);

export function portTakenError(host, port) {
  const other = port < 65_535 ? port + 1 : 3000;
  return new PlainError(
    `Port ${port} on ${host} is already in use by another program.\nUse another one: PORT=${other} npm start`,
    { exitCode: 98 },
  );
}

/** True for an address that this machine does not have, such as ::1 where IPv6 is off. */
export const isMissingAddress = (error) => ["EADDRNOTAVAIL", "EAFNOSUPPORT", "EINVAL"].includes(error.code);

/** Checks early what would otherwise fail after minutes of installing and building. */
export async function requireFreePort(host, port) {
  for (const address of listenAddresses(host)) {
    await new Promise((resolve, reject) => {
      const server = net.createServer();
      server.once("error", (error) =>
        isMissingAddress(error) && host === "localhost" ? resolve() : reject(explain(error, host, port)),
      );
      server.listen(port, address, () => server.close(resolve));
    });
  }
}

function explain(error, host, port) {
  if (error.code === "EADDRINUSE") return portTakenError(host, port);
  if (error.code === "EACCES")
    return new PlainError(
      `Port ${port} needs more rights than this user has. Use one from 1024 on: PORT=3000 npm start`,
    );
  return new PlainError(
    `Kimitsu cannot listen on HOST=${host}: ${error.message}\nHOST must be an address of this machine, such as localhost or 0.0.0.0.`,
    { cause: error },
  );
}
