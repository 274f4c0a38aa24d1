import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { refuseMalformed } from "./web-address.mjs";

/** As scripts/web.mjs has it. The path is sent as it is written: `fetch` would mend it. */
async function ask(path: string, headers: Record<string, string> = {}) {
  const server = http.createServer(
    (request, response) => void (refuseMalformed(request, response) || response.end("ok")),
  );
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise<{ status: number | undefined; type: string | undefined; text: string }>((resolve, reject) => {
    http
      .get({ port, path, headers, agent: false }, async (response) => {
        let text = "";
        for await (const chunk of response) text += chunk;
        resolve({ status: response.statusCode, type: response.headers["content-type"], text });
      })
      .on("error", reject);
  });
}

test.each(["/runs/%", "/runs/%E0%A4%A", "/approvals/%ZZ/decide", "/inbox/%FF", "/%c3%28", "/runs/%C0%AF?limit=1"])(
  verifies("http:malformed-address", "%s is answered with 400 in the one shape"),
  async (path) => {
    const { status, text } = await ask(path);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toEqual({
      error: {
        code: "invalid_request",
        message: expect.stringContaining("percent-encoding"),
        request_id: expect.stringMatching(/^req_/),
        issues: [{ path: "path", message: expect.any(String) }],
      },
    });
  },
);

test(verifies("http:malformed-address", "who asks for a page reads it in plain words"), async () => {
  expect(await ask("/inbox/%FF", { accept: "text/html" })).toMatchObject({
    status: 400,
    type: "text/plain; charset=utf-8",
    text: expect.stringContaining("%25"),
  });
});

test.each(["/runs/run_1", "/runs/100%25", "/inbox/%E2%82%AC", "/runs?q=%E0%A4%A"])("%s is passed on", async (path) => {
  expect((await ask(path)).text).toBe("ok");
});
