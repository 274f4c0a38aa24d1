import { createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Request } from "@playwright/test";
import { expect, required, test } from "./fixtures";
import { PLACES, PUBLIC_PLACES } from "./places";
import { verifies } from "./requirements";

const base = () => required("BASE_URL");

/** Requests of the page that have no answer yet, without the live connection, which never ends. */
function countRequests(page: Page): () => number {
  const underWay = new Set<Request>();
  page.on("framenavigated", () => underWay.clear());
  page.on("request", (request) => void (request.resourceType() === "eventsource" || underWay.add(request)));
  page.on("requestfinished", (request) => void underWay.delete(request));
  page.on("requestfailed", (request) => void underWay.delete(request));
  return () => underWay.size;
}

test(verifies("http:health", "liveness and readiness answer to anyone"), async () => {
  expect(await (await fetch(`${base()}/healthz`)).json()).toEqual({ status: "ok" });
  const ready = await fetch(`${base()}/readyz`);
  expect(ready.status).toBe(200);
  expect(await ready.json()).toEqual({ status: "ready", database: "ok", worker: "ok", warnings: expect.any(Array) });
});

test(
  verifies("http:metrics", "metrics are refused without a sign-in, and count requests without naming people"),
  async ({ open, person }) => {
    expect((await fetch(`${base()}/metrics`)).status).toBe(401);
    const page = await open(await person("viewer"));
    const figures = await (await page.request.get("/metrics")).text();
    expect(figures).toMatch(/^kimitsu_http_request_duration_seconds_count\{.*operation="getMetrics".*status="401"/m);
    expect(figures).not.toContain("@");
  },
);

test(
  verifies("http:docs", "the reference lists every documented call to someone who is not signed in"),
  async ({ open }) => {
    const page = await open(null);
    const document = (await (await page.request.get("/openapi.json")).json()) as {
      openapi: string;
      paths: Record<string, object>;
    };
    expect(document.openapi).toMatch(/^3\.1/);
    await page.goto("/docs");
    await expect(page.getByRole("heading", { name: "API reference" })).toBeVisible();
    for (const path of Object.keys(document.paths))
      await expect(page.getByText(path, { exact: true }).filter({ visible: true }).first()).toBeVisible();
  },
);

test(verifies("http:headers", "pages, API answers, refusals and files carry the security headers"), async () => {
  for (const path of ["/sign-in", "/docs", "/audit-log", "/healthz", "/no-such-page", "/icon.svg"]) {
    const { headers } = await fetch(base() + path);
    const of = (name: string) => headers.get(name);
    expect.soft(of("x-content-type-options"), path).toBe("nosniff");
    expect.soft(of("x-frame-options"), path).toBe("DENY");
    expect.soft(of("referrer-policy"), path).toBeTruthy();
    expect.soft(of("cross-origin-opener-policy"), path).toBe("same-origin");
    expect.soft(of("strict-transport-security"), path).toMatch(/max-age=\d{8}/);
    expect.soft(of("x-powered-by"), path).toBeNull();
    if (path !== "/icon.svg") expect.soft(of("x-request-id"), path).toMatch(/^req_/);
  }
});

test(
  verifies(
    "http:csp",
    "the policy allows no inline script, no framing and no other site, with a nonce of its own for each answer",
  ),
  async () => {
    const policies = [];
    for (let n = 0; n < 2; n++)
      policies.push((await fetch(`${base()}/sign-in`)).headers.get("content-security-policy") ?? "");
    const [policy = ""] = policies;
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("form-action 'self'");
    expect(policy).toContain("base-uri 'none'");
    expect(policy).not.toMatch(/unsafe-(inline|eval)/);
    const nonces = policies.map((text) => /'nonce-([^']+)'/.exec(text)?.[1]);
    expect(nonces[0]).toBeTruthy();
    expect(nonces[0]).not.toBe(nonces[1]);
  },
);

test(
  verifies("http:csp", "no page breaks the policy itself or writes an error to the console"),
  async ({ open, person }) => {
    // Every page there is, each until its scripts and its requests have nothing left to do.
    test.slow();
    // Errors of the pages are collected by the fixture, which fails the test.
    const page = await open(await person("admin"));
    const requests = countRequests(page);
    for (const { path, title, name } of [...PLACES, ...PUBLIC_PLACES.filter((place) => place.name !== "sign-in")]) {
      await page.goto(path);
      // A missing page is shown under the console's own heading.
      await expect(page.getByRole("heading", { level: name === "not-found" ? 2 : 1, name: title })).toBeVisible();
      await page.waitForFunction(() => Object.keys(document).some((key) => key.startsWith("__reactContainer")));
      await expect(async () => {
        await page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestIdleCallback(done))));
        expect(requests(), "requests under way").toBe(0);
      }).toPass();
    }
  },
);

test(
  verifies("http:csrf", "a form of another site changes nothing, although the person's cookie is sent along"),
  async ({ open, person }) => {
    const page = await open(await person("admin"));
    await page.goto("/settings");
    const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
    // The sign-out form as a browser without scripts would post it; only where it comes from differs.
    const action = /name="(\$ACTION_ID_[0-9a-f]+)"/.exec(await (await page.request.get("/settings")).text())?.[1];
    expect(action).toBeTruthy();
    const post = (origin: string) => {
      const body = new FormData();
      body.set(action ?? "", "");
      return fetch(`${base()}/settings`, { method: "POST", headers: { cookie, origin }, body, redirect: "manual" });
    };
    const foreign = await post("https://evil.example");
    expect(foreign.status).toBeGreaterThanOrEqual(400);
    expect(foreign.headers.get("set-cookie")).toBeNull();
    const own = await post(base());
    expect(own.status).toBe(303);
    expect(own.headers.get("location")).toContain("/sign-in");
    const read = await fetch(`${base()}/audit-log`, { headers: { cookie, origin: "https://evil.example" } });
    expect(read.headers.get("access-control-allow-origin")).toBeNull();
  },
);

test(verifies("http:csp", "another site cannot show the console in a frame"), async ({ browser }) => {
  const foreign = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end(`<iframe src="${base()}/sign-in"></iframe>`),
  );
  await new Promise<void>((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const page = await browser.newPage();
  const refused = page.waitForEvent("console", (message) => /frame-ancestors|X-Frame-Options/i.test(message.text()));
  await page.goto(`http://127.0.0.1:${(foreign.address() as AddressInfo).port}/`);
  await refused;
  await expect(page.frameLocator("iframe").getByLabel("Password")).toHaveCount(0);
  await page.close();
  foreign.close();
});

test(verifies("http:error-shape", "an unknown address of the API and a refusal have the one shape"), async () => {
  const refused = await fetch(`${base()}/audit-log`);
  const { error } = (await refused.json()) as { error: Record<string, unknown> };
  expect(refused.status).toBe(401);
  expect(error).toEqual({
    code: "unauthorized",
    message: expect.stringContaining("Bearer"),
    request_id: refused.headers.get("x-request-id"),
    issues: [],
  });
  for (const [method, path, status, code] of [
    ["POST", "/approvals/apr_1/approve", 404, "not_found"],
    ["GET", "/runs/run_1/cancel", 405, "method_not_allowed"],
  ] as const) {
    const misplaced = await fetch(`${base()}${path}`, { method });
    expect(misplaced.status).toBe(status);
    expect(misplaced.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await misplaced.json()).toEqual({
      error: {
        code,
        message: expect.stringContaining(path),
        request_id: misplaced.headers.get("x-request-id"),
        issues: [],
      },
    });
  }
});

test(
  verifies(
    "http:malformed-address",
    "a path that cannot be decoded is refused with 400 in the one shape, wherever it leads",
  ),
  async () => {
    const { hostname, port } = new URL(base());
    for (const path of ["/runs/%E0%A4%A", "/approvals/%ZZ", "/inbox/%FF", "/history/%", "/_next/static/%"]) {
      // Sent as it is written: `fetch` would normalise it.
      const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
        get({ hostname, port, path, headers: { accept: "application/json" } }, async (response) => {
          let text = "";
          for await (const chunk of response) text += chunk;
          resolve({ status: response.statusCode, text });
        }).on("error", reject);
      });
      expect.soft(answer.status, path).toBe(400);
      expect
        .soft(answer.text, path)
        .toMatch(
          /^\{"error":\{"code":"invalid_request","message":".*percent-encoding.*","request_id":"req_\w+","issues":\[.*\]\}\}$/,
        );
    }
  },
);
