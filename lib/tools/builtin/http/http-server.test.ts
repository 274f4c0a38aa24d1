import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { HTTP, WEB } from "@/lib/config/builtin/http";
import { assessDanger } from "@/lib/policy/danger";
import { openTestBuiltin, openTestFolder } from "@/lib/testing/builtin-server";

interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

let place: ReturnType<typeof openTestFolder>;
let first: Server;
let second: Server;
let seen: Seen[];
/** By path: what the test servers answer. */
let answers: Record<string, (response: ServerResponse) => void>;

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const at = (path: string, server = first) => `http://127.0.0.1:${portOf(server)}${path}`;

async function serve(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { method = "", url = "", headers } = request;
    seen.push({ method, url, headers, body });
    const answer = answers[url];
    if (answer) answer(response);
    else response.writeHead(404).end("nothing");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return server;
}

beforeAll(async () => {
  place = openTestFolder();
  [first, second] = [await serve(), await serve()];
});
afterAll(() => {
  for (const server of [first, second]) {
    server.closeAllConnections();
    server.close();
  }
  place.close();
});

const opened: ReturnType<typeof openTestBuiltin>[] = [];
function open(
  name: string,
  params: Record<string, unknown> = { allowed_hosts: ["127.0.0.1"] },
  allowHosts = ["127.0.0.1"],
) {
  const server = openTestBuiltin({ name, params, deployment: place.deployment, pool: { allowHosts } });
  opened.push(server);
  return server;
}
beforeEach(() => {
  seen = [];
  answers = {
    "/ok": (response) => response.writeHead(200, { "content-type": "text/plain", "set-cookie": "s=1" }).end("hello"),
  };
});
afterEach(async () => void (await Promise.all(opened.splice(0).map((server) => server.close()))));

const LEVELS = {
  http_get: "safe",
  http_post: "medium",
  http_put: "medium",
  http_delete: "high",
  fetch_url: "safe",
  extract_links: "safe",
};

test(
  verifies("builtin:http", verifies("builtin:web", "each tool has its danger level and typed input and output")),
  async () => {
    const lists = [(await open("kimitsu/http").list()).tools, (await open("kimitsu/web").list()).tools].flat();
    const facts = { ...HTTP.definition.tools, ...WEB.definition.tools };
    const levels = lists.map(({ name, annotations }) => [name, assessDanger(annotations, facts[name]).level]);
    expect(Object.fromEntries(levels)).toEqual(LEVELS);
    for (const tool of lists)
      expect(tool).toMatchObject({ inputSchema: { additionalProperties: false }, outputSchema: { type: "object" } });
  },
);

describe("requests", () => {
  test(verifies("builtin:http", "what is asked is what is sent, and the answer comes back whole"), async () => {
    const http = open("kimitsu/http");
    expect(
      (await http.call("http_get", { url: at("/ok"), headers: { "x-key": "k" } })).structured_content,
    ).toMatchObject({
      url: at("/ok"),
      status: 200,
      body: "hello",
      encoding: "utf8",
      truncated: false,
    });
    await http.call("http_post", { url: at("/post"), data: { a: 1 } });
    await http.call("http_put", { url: at("/put"), data: "text" });
    expect((await http.call("http_delete", { url: at("/delete") })).structured_content).toMatchObject({ status: 404 });
    expect(seen).toMatchObject([
      { method: "GET", url: "/ok", headers: { "x-key": "k" } },
      { method: "POST", url: "/post", body: '{"a":1}', headers: { "content-type": "application/json" } },
      { method: "PUT", url: "/put", body: "text" },
      { method: "DELETE", url: "/delete" },
    ]);
    expect(JSON.stringify((await http.call("http_get", { url: at("/ok") })).structured_content)).not.toContain(
      "set-cookie",
    );
  });

  test("headers that belong to the connection, or break out of it, are refused", async () => {
    const http = open("kimitsu/http");
    for (const headers of [
      { Host: "other" },
      { "transfer-encoding": "chunked" },
      { "x-a": "1\r\nx-b: 2" },
      { "bad name": "x" },
    ])
      expect((await http.call("http_get", { url: at("/ok"), headers })).error).toMatch(/header/);
    for (const url of ["file:///etc/passwd", "ftp://x/", "//x", "http://user:pass@127.0.0.1/"])
      expect((await http.call("http_get", { url })).is_error).toBe(true);
    expect(seen).toEqual([]);
  });
});

describe("attacks", () => {
  test.each([
    "http://127.0.0.1:PORT/ok",
    "http://localhost:PORT/ok",
    "http://localhost.:PORT/ok",
    "http://0.0.0.0:PORT/ok",
    "http://[::1]:PORT/ok",
    "http://[::ffff:127.0.0.1]:PORT/ok",
    "http://0x7f.1:PORT/ok",
    "http://2130706433:PORT/ok",
    "http://0177.0.0.1:PORT/ok",
    "http://169.254.169.254/latest/meta-data",
    "http://10.0.0.1/",
    "http://192.168.1.1/",
    "http://[fd00::1]/",
    "http://168.63.129.16/",
    "http://[64:ff9b::7f00:1]/",
    "http://①②⑦.0.0.1:PORT/ok",
  ])(verifies("builtin:http:ssrf", "%s is not reached by any tool"), async (address) => {
    const url = address.replace("PORT", String(portOf(first)));
    const [http, web] = [open("kimitsu/http", {}, []), open("kimitsu/web", {}, [])];
    for (const tool of ["http_get", "http_post", "http_put", "http_delete"])
      expect((await http.call(tool, { url })).error, tool).toMatch(/may not be reached|inner network/);
    for (const tool of ["fetch_url", "extract_links"])
      expect((await web.call(tool, { url })).error, tool).toMatch(/may not be reached|inner network/);
    expect(seen).toEqual([]);
  });

  test(
    verifies(
      "builtin:http:ssrf",
      "a host that the deployment allows for its tool servers is not open to agents until the project names it",
    ),
    async () => {
      expect((await open("kimitsu/http", {}).call("http_get", { url: at("/ok") })).error).toContain("inner network");
      expect((await open("kimitsu/web", {}).call("fetch_url", { url: at("/ok") })).error).toContain("inner network");
      expect(seen).toEqual([]);
      expect((await open("kimitsu/http").call("http_get", { url: at("/ok") })).success).toBe(true);
    },
  );

  test(verifies("builtin:http:redirects", "a redirect to where no request may go is not followed"), async () => {
    const send = (to: string) => (response: ServerResponse) => response.writeHead(302, { location: to }).end();
    answers["/meta"] = send("http://169.254.169.254/");
    answers["/file"] = send("file:///etc/passwd");
    answers["/name"] = send(`http://localhost:${portOf(second)}/ok`);
    answers["/loop"] = send("/loop");
    const http = open("kimitsu/http", { allowed_hosts: ["127.0.0.1", "169.254.169.254"] });
    expect((await http.call("http_get", { url: at("/meta") })).error).toContain("may not be reached");
    expect((await http.call("http_get", { url: at("/file") })).error).toContain("https:// or http://");
    expect((await http.call("http_get", { url: at("/name") })).error).toContain("not among the allowed_hosts");
    expect((await http.call("http_get", { url: at("/loop") })).error).toContain("redirects");
  });

  test(
    verifies(
      "builtin:http:redirects",
      "a credential of the first origin does not reach the second, and writes are not sent on",
    ),
    async () => {
      for (const path of ["/away", "/stay"])
        answers[path] = (response) =>
          response.writeHead(307, { location: path === "/away" ? at("/ok", second) : "/ok" }).end();
      const headers = { authorization: "Bearer KEY", cookie: "s=KEY", "x-api-key": "KEY" };
      const http = open("kimitsu/http");
      expect((await http.call("http_get", { url: at("/away"), headers })).structured_content).toMatchObject({
        url: at("/ok", second),
      });
      expect(JSON.stringify(seen[1]!.headers)).not.toContain("KEY");
      await http.call("http_get", { url: at("/stay"), headers });
      expect(seen[3]!.headers).toMatchObject(headers);
      seen = [];
      for (const tool of ["http_post", "http_put", "http_delete"])
        expect((await http.call(tool, { url: at("/away"), headers })).structured_content).toMatchObject({
          status: 307,
        });
      expect(seen.map(({ url }) => url)).toEqual(["/away", "/away", "/away"]);
    },
  );

  test(verifies("builtin:http:hosts", "only allowed hosts are asked, and a refused one never"), async () => {
    const url = at("/ok");
    const port = portOf(first);
    for (const params of [
      { allowed_hosts: ["example.com"] },
      { allowed_hosts: ["127.0.0.1:1"] },
      { allowed_hosts: ["*.0.0.1"], refused_hosts: ["127.0.0.1"] },
      { allowed_hosts: ["127.0.0.1"], refused_hosts: [`127.0.0.1:${port}`] },
    ])
      expect((await open("kimitsu/http", params).call("http_get", { url })).error).toMatch(/may not be asked/);
    const suffix = open("kimitsu/http", { allowed_hosts: ["example.com"] });
    for (const host of ["example.com.evil.test", "evil-example.com", "example.com@evil.test"])
      expect((await suffix.call("http_get", { url: `http://${host}/` })).is_error).toBe(true);
    expect(seen).toEqual([]);
    expect(
      (await open("kimitsu/http", { allowed_hosts: [`127.0.0.1:${port}`] }).call("http_get", { url })).success,
    ).toBe(true);
  });

  test(verifies("builtin:http:limits", "endless, packed and silent answers end at their limits"), async () => {
    const packed = gzipSync(Buffer.alloc(64 * 1024 * 1024, "x"));
    answers["/endless"] = (response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const pump = () => {
        while (response.write("x".repeat(65_536)));
        response.once("drain", pump);
      };
      pump();
    };
    answers["/packed"] = (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(packed);
    answers["/silent"] = () => {};
    const http = open("kimitsu/http", { allowed_hosts: ["127.0.0.1"], max_response_bytes: 1_000 });
    for (const path of ["/endless", "/packed"]) {
      const result = (await http.call("http_get", { url: at(path) })).structured_content as {
        body: string;
        truncated: boolean;
      };
      expect([result.body.length, result.truncated]).toEqual([1_000, true]);
    }
    const hasty = open("kimitsu/http", { allowed_hosts: ["127.0.0.1"], timeout_seconds: 1 });
    expect((await hasty.call("http_get", { url: at("/silent") })).error).toContain("within 1 seconds");
    expect((await http.call("http_post", { url: at("/ok"), data: "x".repeat(2_000_000) })).error).toContain(
      "larger than",
    );
  });
});

const page = (body: string) => (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(body);

describe("pages", () => {
  const HTML = `<html><head><title>A &amp; B</title><base href="/docs/"><style>p{}</style></head><body><nav><a href="/menu">Menu</a></nav>
    <h1>Title</h1><p>Some <b>bold</b> text &lt;b&gt; and <a href="one.html">a link</a>.</p><ul><li>item</li></ul>
    <script>alert("never")</script><a href="javascript:alert(1)">bad</a><a href="one.html">again</a><a href="https://other.test/x">other</a></body></html>`;

  test(verifies("builtin:web", "a page is read as Markdown, without its scripts, or as it was sent"), async () => {
    answers["/page"] = page(HTML);
    const web = open("kimitsu/web");
    const { structured_content: read } = await web.call("fetch_url", { url: at("/page") });
    expect(read).toMatchObject({ title: "A & B", status: 200, truncated: false });
    const { content } = read as { content: string };
    expect(content).toContain("# Title");
    expect(content).toContain(`**bold** text <b> and [a link](${at("/docs/one.html")})`);
    expect(content).not.toMatch(/alert|Menu|<script/);
    expect((await web.call("fetch_url", { url: at("/page"), format: "raw" })).output).toContain('alert("never")');
  });

  test(verifies("builtin:web", "links are listed once, absolute, and only those that can be requested"), async () => {
    answers["/page"] = page(HTML);
    expect((await open("kimitsu/web").call("extract_links", { url: at("/page") })).structured_content).toMatchObject({
      links: [
        { url: at("/menu"), text: "Menu" },
        { url: at("/docs/one.html"), text: "a link" },
        { url: "https://other.test/x", text: "other" },
      ],
      truncated: false,
    });
  });

  test.each([
    ["nested elements", "<div>".repeat(100_000) + "deep"],
    ["nested lists", "<ul><li>".repeat(50_000) + "deep"],
    ["nested quotes", "<blockquote>".repeat(50_000) + "deep"],
    ["links", "<a href=/x".repeat(100_000)],
    ["attributes", `<p ${"a=b ".repeat(100_000)}>deep`],
    ["entities", "&amp;".repeat(150_000)],
    ["open comments", "<!--".repeat(200_000)],
    ["tables", "<table><tr><td>".repeat(20_000) + "deep"],
  ])(
    verifies("builtin:web:hostile", "a page of endless %s is answered, and others are read meanwhile"),
    async (_name, body) => {
      answers["/bomb"] = page(body);
      answers["/page"] = page("<h1>Well</h1>");
      const web = open("kimitsu/web");
      const [bomb, links, other] = await Promise.all([
        web.call("fetch_url", { url: at("/bomb") }),
        web.call("extract_links", { url: at("/bomb") }),
        web.call("fetch_url", { url: at("/page") }),
      ]);
      expect(other.output).toBe("# Well");
      for (const result of [bomb, links])
        if (result.is_error) expect(result.error).toContain("limits of time and memory");
    },
  );
});
