/** A way to the door for a client that cannot send a token: it adds the token and changes nothing else. */
import http from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export async function forwardWithToken(target: string, token: string): Promise<string> {
  const { port } = new URL(target);
  const server = http.createServer((message, reply) => {
    const headers = [...message.rawHeaders, "Authorization", `Bearer ${token}`];
    const to = { host: "127.0.0.1", port, method: message.method, path: message.url, headers, setHost: false };
    const passed = http.request(to, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    reply.on("close", () => passed.destroy());
    message.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
}
