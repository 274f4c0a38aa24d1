/**
 * The test's side of lib/pause.ts: hold a point, learn who waits there, release it or kill it. Works for this process
 * (`holdAt`) and for child processes that were started with the variables of `listenForPauses()`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { type PausePoint, setPauseHolder } from "@/lib/pause";
import { PauseRegistry, type Hold, type HoldOptions } from "./pause-registry";

const here = new PauseRegistry();

/** Holds the point in this process until released. Call `releaseAll()` after each test. */
export function holdAt(point: PausePoint, options?: HoldOptions): Hold {
  setPauseHolder((reached, subject) => {
    let wait: Promise<void> | undefined;
    here.arrive({ point: reached, subject, pid: process.pid }, () => {
      let go = () => {};
      wait = new Promise((resolve) => (go = resolve));
      return go;
    });
    return wait;
  });
  return here.hold(point, options);
}

/** Ends every hold of this process; the points cost nothing again. */
export function releaseAll(): void {
  setPauseHolder(undefined);
  here.releaseAll();
}

export interface PauseListener {
  /** Add these to the environment of the child process. */
  readonly env: { KIMITSU_PAUSE_SOCKET: string };
  holdAt(point: PausePoint, options?: HoldOptions): Hold;
  /** Every point reached so far, by any process, in order. */
  trace(): { point: PausePoint; subject: string | undefined; pid: number }[];
  close(): Promise<void>;
}

/** Listens for the points of child processes. A killed child is forgotten; the others continue when this closes. */
export async function listenForPauses(): Promise<PauseListener> {
  const registry = new PauseRegistry();
  const folder = await mkdtemp(path.join(os.tmpdir(), "kimitsu-pause-"));
  const socketPath =
    process.platform === "win32" ? `\\\\.\\pipe\\${path.basename(folder)}` : path.join(folder, "socket");
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    // A killed child resets its connection, which the test intended.
    socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
    const lines = createInterface({ input: socket }).on("error", () => socket.destroy());
    lines.on("line", (line) => {
      const { id, ...arrival } = JSON.parse(line) as { id: number; point: PausePoint; subject?: string; pid: number };
      const go = () => void socket.write(`${JSON.stringify({ go: id })}\n`);
      if (!registry.arrive({ ...arrival, subject: arrival.subject }, () => go)) go();
    });
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socketPath, resolve));
  return {
    env: { KIMITSU_PAUSE_SOCKET: socketPath },
    holdAt: (point, options) => registry.hold(point, options),
    trace: () => registry.trace(),
    close: async () => {
      registry.releaseAll();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}
