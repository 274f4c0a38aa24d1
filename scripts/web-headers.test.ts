import { expect, test } from "vitest";
import { trustHeaders } from "./web-headers.mjs";

function headersAfter(headers: Record<string, string>, { trustProxy = false, remoteAddress = "203.0.113.9" } = {}) {
  const request = { headers: { ...headers }, socket: { remoteAddress } };
  trustHeaders(request, trustProxy);
  return request.headers as Record<string, string>;
}

test("a client cannot say what its own address is", () => {
  const headers = headersAfter({ "x-kimitsu-address": "10.0.0.1", "x-forwarded-for": "10.0.0.1", "x-forwarded-host": "evil", forwarded: "for=1", "x-real-ip": "1", host: "h" });
  expect(headers).toEqual({ host: "h", "x-kimitsu-address": "203.0.113.9" });
});

test("behind a trusted proxy the last entry counts, not what the client put before it", () => {
  const headers = headersAfter({ "x-kimitsu-address": "10.0.0.1", "x-forwarded-for": "10.0.0.1, 198.51.100.7" }, { trustProxy: true });
  expect(headers["x-kimitsu-address"]).toBe("198.51.100.7");
  expect(headers["x-forwarded-for"]).toBe("10.0.0.1, 198.51.100.7");
});

test("a trusted proxy that sends no address leaves the socket's", () => {
  expect(headersAfter({}, { trustProxy: true })["x-kimitsu-address"]).toBe("203.0.113.9");
});

test("an IPv4 client is spelled the same on an IPv6 socket", () => {
  expect(headersAfter({}, { remoteAddress: "::ffff:127.0.0.1" })["x-kimitsu-address"]).toBe("127.0.0.1");
});
