import { expect, test } from "vitest";
import { findForeignHost, ownHosts } from "@/lib/proxy/rules/own-hosts";

const hosts = ownHosts({ HOST: "0.0.0.0", AUTH_URL: "https://kimitsu.example.org" });

test.each([
  ["kimitsu.example.org", null, true],
  ["KIMITSU.example.org:443", "https://kimitsu.example.org", true],
  ["localhost:3000", "http://localhost:3000", true],
  ["[::1]:3000", null, true],
  ["evil.example", null, false],
  ["kimitsu.example.org.evil.example", null, false],
  ["kimitsu.example.org", "https://evil.example", false],
  ["kimitsu.example.org", "null", false],
  [null, null, false],
])("the host %s with the origin %s: is taken %s", (host, origin, isTaken) => {
  expect(findForeignHost(hosts, { host, origin }) === null).toBe(isTaken);
});

test("a machine that is reached by any name takes pages of the name that was asked for, and of no other", () => {
  const any = ownHosts({ HOST: "0.0.0.0" });
  expect(findForeignHost(any, { host: "box:3000", origin: "http://box:3000" })).toBeNull();
  expect(findForeignHost(any, { host: "box:3000", origin: "https://evil.example" })).toContain("evil.example");
});
