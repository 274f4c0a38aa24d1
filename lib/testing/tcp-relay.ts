/** Forwards connections to a port that can be changed, as a proxy in front of a database does. */
import { once } from "node:events";
import net from "node:net";

export interface TcpRelay {
  readonly port: number;
  /** From here on connections go there; null refuses them. Those that are open are cut, as a proxy must. */
  pointTo(port: number | null): void;
  close(): Promise<void>;
}

export async function openTcpRelay(first: number): Promise<TcpRelay> {
  let target: number | null = first;
  const open = new Set<net.Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const keep = (socket: net.Socket) => {
    open.add(socket);
    socket.on("error", () => socket.destroy()).on("close", () => open.delete(socket));
  };
  const server = net.createServer((near) => {
    if (target === null) return void near.destroy();
    const far = net.connect(target, "127.0.0.1");
    keep(near);
    keep(far);
    near
      .on("close", () => far.destroy())
      .pipe(far)
      .on("close", () => near.destroy())
      .pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as net.AddressInfo).port,
    pointTo: (port) => {
      target = port;
      cut();
    },
    close: async () => {
      cut();
      server.close();
      await once(server, "close");
    },
  };
}
