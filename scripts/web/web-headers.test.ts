import { afterEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { trustHeaders } from "./web-headers.mjs";

function headersAfter(headers: Record<string, string>, { trustProxy = false, remoteAddress = "203.0.113.9" } = {}) {
  const request = { headers: { ...headers }, socket: { remoteAddress } };
  trustHeaders(request, trustProxy);
  const { "x-kimitsu-own": own, ...rest } = request.headers as Record<string, string>;
  expect(own).toMatch(/^[0-9a-f-]{36}$/);
  return rest;
}

const kept = globalThis as typeof globalThis & { __kimitsuWarn?: (message: string) => void };
afterEach(() => void delete kept.__kimitsuWarn);

test(
  verifies(
    "operations:proxy-warning",
    "the first forwarding header that is ignored is told in the log, with what to do, and no other",
  ),
  () => {
    const warnings: string[] = [];
    kept.__kimitsuWarn = (message) => warnings.push(message);
    headersAfter({ host: "h" });
    headersAfter({ host: "h", "x-forwarded-for": "10.0.0.1" }, { trustProxy: true });
    // What the application asks of itself carries the headers of the request that made it ask.
    const first: { headers: Record<string, string>; socket: object } = { headers: { host: "h" }, socket: {} };
    trustHeaders(first, false);
    trustHeaders({ headers: { ...first.headers, "x-forwarded-for": "127.0.0.1" }, socket: {} }, false);
    expect(warnings).toEqual([]);
    headersAfter({
      host: "h",
      "x-kimitsu-own": "guessed",
      "x-forwarded-for": "10.0.0.1",
      "x-forwarded-proto": "https",
    });
    headersAfter({ host: "h", "x-forwarded-for": "10.0.0.2" });
    expect(warnings).toEqual([expect.stringMatching(/x-forwarded-for, x-forwarded-proto.*set KIMITSU_TRUST_PROXY=1/)]);
    // The value is whatever a stranger wrote.
    expect(warnings[0]).not.toContain("10.0.0.1");
  },
);

test("a client cannot say what its own address is", () => {
  const headers = headersAfter({
    "x-kimitsu-address": "10.0.0.1",
    "x-forwarded-for": "10.0.0.1",
    "x-forwarded-host": "evil",
    forwarded: "for=1",
    "x-real-ip": "1",
    host: "h",
  });
  expect(headers).toEqual({ host: "h", "x-kimitsu-address": "203.0.113.9" });
});

test("behind a trusted proxy the last entry counts, not what the client put before it", () => {
  const headers = headersAfter(
    { "x-kimitsu-address": "10.0.0.1", "x-forwarded-for": "10.0.0.1, 198.51.100.7" },
    { trustProxy: true },
  );
  expect(headers["x-kimitsu-address"]).toBe("198.51.100.7");
  expect(headers["x-forwarded-for"]).toBe("10.0.0.1, 198.51.100.7");
});

test("a trusted proxy that sends no address leaves the socket's", () => {
  expect(headersAfter({}, { trustProxy: true })["x-kimitsu-address"]).toBe("203.0.113.9");
});

test("an IPv4 client is spelled the same on an IPv6 socket", () => {
  expect(headersAfter({}, { remoteAddress: "::ffff:127.0.0.1" })["x-kimitsu-address"]).toBe("127.0.0.1");
});
