/** A connection to Postgres that counts the bytes received: what a query reads, measured on the wire. */
import net from "node:net";
import { connect, type Db } from "@/lib/database/client";

export interface CountingLine {
  db: Db;
  /** Bytes that Postgres sent while the work was done. */
  during(work: () => Promise<unknown>): Promise<number>;
  /** From now on Postgres cannot be reached through it. */
  cut(): void;
  close(): Promise<void>;
}

export async function openCountingLine(url: string): Promise<CountingLine> {
  const { hostname, port } = new URL(url);
  let bytes = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => socket.destroy()));
    client.pipe(upstream);
    upstream.on("data", (chunk) => (bytes += chunk.length)).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = Object.assign(new URL(url), {
    hostname: "127.0.0.1",
    port: String((server.address() as net.AddressInfo).port),
  });
  const db = connect(own.toString(), 4);
  const cut = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return {
    db,
    cut,
    async during(work) {
      const before = bytes;
      await work();
      return bytes - before;
    },
    async close() {
      await db.$disconnect();
      cut();
    },
  };
}
