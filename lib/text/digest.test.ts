import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretRef } from "@/lib/config/secret-ref";
import { canonicalizeArguments, digestArguments } from "./digest";

describe("the digest of arguments", () => {
  it("is SHA-256 over RFC 8785 JSON", () => {
    expect(canonicalizeArguments({ b: [1, 2.5, 1e-7], a: "ü\n", "\u20ac": null })).toBe(
      '{"a":"ü\\n","b":[1,2.5,1e-7],"€":null}',
    );
    expect(digestArguments({})).toBe("sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  });

  it("does not depend on the order of keys", () => {
    expect(digestArguments({ a: 1, b: { c: 2, d: 3 } })).toBe(digestArguments({ b: { d: 3, c: 2 }, a: 1 }));
  });

  it("differs when anything differs", () => {
    const variants = [
      { a: 1 },
      { a: "1" },
      { a: [1] },
      { a: null },
      { a: 1, b: null },
      [1],
      {},
      { A: 1 },
      { a: 1.0000000000000002 },
      { "a\u200b": 1 },
    ];
    expect(new Set(variants.map(digestArguments)).size).toBe(variants.length);
  });

  it("is the same after a JSON round trip, for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        let digest: string;
        try {
          digest = digestArguments(value);
        } catch {
          return;
        }
        expect(digestArguments(JSON.parse(JSON.stringify(value)))).toBe(digest);
      }),
    );
  });

  it("reads -0 as 0, as RFC 8785 does", () => expect(digestArguments({ a: -0 })).toBe(digestArguments({ a: 0 })));

  const deep = () => Array.from({ length: 200 }).reduce<unknown>((value) => [value], 1);
  const circular = () => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  };

  it.each([
    ["NaN", { a: Number.NaN }, "arguments.a is NaN"],
    ["Infinity", { a: [Number.POSITIVE_INFINITY] }, "arguments.a[0] is Infinity"],
    ["an integer beyond 2^53", { a: 2 ** 53 }, "give it as text"],
    ["a large exponent", { a: 1e300 }, "give it as text"],
    ["half of a surrogate pair", { a: "\ud800" }, "surrogate"],
    ["a NUL", { a: ["\0"] }, "arguments.a[0] has a NUL"],
    ["a NUL in a key", { a: { "\0": 1 } }, "arguments.a has a key that has a NUL"],
    ["half of a surrogate pair in a key", { "\udc00": 1 }, "surrogate"],
    ["__proto__ as a key", JSON.parse('{"__proto__": 1}'), "__proto__"],
    ["undefined", { a: undefined }, "arguments.a is undefined"],
    ["nothing at all", undefined, "arguments is undefined"],
    ["a hole in a list", { a: Object.assign([], { length: 2 }) }, "arguments.a[0] is undefined"],
    ["a function", { a: () => 1 }, "function"],
    ["a bigint", { a: 1n }, "bigint"],
    ["a date", { a: new Date(0) }, "plain object"],
    ["a secret", { a: SecretRef.env("KEY") }, "plain object"],
    ["what is nested too deep", deep(), "nested"],
    ["a circle", circular(), "nested"],
  ])("refuses %s and says where", (_name, value, message) => expect(() => digestArguments(value)).toThrow(message));
});
