/** An HTTP server that is sent requests: records them, and answers as the test says. */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedHook {
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export interface HookServer {
  url: string;
  received: ReceivedHook[];
}

/** `answer` returns the status, with headers and the text of the answer if needed. */
export async function startHookServer(
  answer: (
    hook: ReceivedHook,
  ) => number | "hang-up" | { status: number; headers: Record<string, string>; text?: string } = () => 200,
  port = 0,
): Promise<HookServer> {
  const received: ReceivedHook[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request
      .on("data", (chunk: Buffer) => (body += chunk.toString()))
      .on("end", () => {
        const hook = { url: request.url ?? "", headers: request.headers, body };
        received.push(hook);
        const answered = answer(hook);
        if (answered === "hang-up") return request.socket.destroy();
        const {
          status,
          headers,
          text = JSON.stringify({
            saw: body === "" ? null : JSON.parse(body),
            auth: request.headers.authorization ?? null,
          }),
        } = typeof answered === "number" ? { status: answered, headers: {} } : answered;
        response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
      });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

/** A port that nobody listens on at the moment. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
