import { createHmac } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SecretRef } from "@/lib/config/secret-ref";
import { redact, redactText } from "./redaction";
import { createSecretMatcher } from "./secret-matcher";

const fingerprint = (value: string) => createHmac("sha256", "key of the test").update(value).digest("hex").slice(0, 12);
/** A character that the generated strings below do not have. */
const MARK = "\u{1F512}";
const SECRET = 'SENTINEL-"s3cr/t"+ü value=?&';
const matcher = createSecretMatcher([SECRET]);
const seen = (value: unknown) => JSON.stringify(redact(value, { fingerprint, matcher }));
const base64 = (text: string) => Buffer.from(text).toString("base64");

const codes = (text: string, characters: RegExp) =>
  text.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("known secrets", () => {
  it.each([
    ["as they are", SECRET],
    ["inside other text", `Authorization: Bearer ${SECRET} was refused`],
    ["JSON-escaped", JSON.stringify({ echoed: SECRET })],
    ["JSON-escaped twice", JSON.stringify(JSON.stringify({ echoed: SECRET }))],
    ["JSON-escaped with slashes", JSON.stringify(SECRET).replaceAll("/", "\\/")],
    ["with every sign as a code", codes(SECRET, /[^\w-]/g)],
    [
      "with every sign as a code in capitals",
      codes(SECRET, /[^\w-]/g).replace(/\\u[0-9a-f]{4}/g, (code) => `\\u${code.slice(2).toUpperCase()}`),
    ],
    ["JSON-escaped for HTML", codes(JSON.stringify({ echoed: SECRET }), /[<>&]/g)],
    ["JSON-escaped to ASCII", codes(JSON.stringify({ echoed: SECRET }), /[\u0080-\uffff]/g)],
    ["in an address", `https://x.test/?t=${encodeURIComponent(SECRET)}&u=1`],
    [
      "in an address in lower case",
      `https://x.test/?t=${encodeURIComponent(SECRET).toLowerCase().replace("sentinel", "SENTINEL")}`,
    ],
    ["in a form", `a=1&${new URLSearchParams({ t: SECRET })}`],
    ["in hexadecimal", Buffer.from(SECRET).toString("hex")],
    ["in upper-case hexadecimal", Buffer.from(SECRET).toString("hex").toUpperCase()],
    ["in base64", base64(SECRET)],
    ["in base64 of user:secret", `Basic ${base64(`ana:${SECRET}`)}`],
    ["in base64 of u:secret", `Basic ${base64(`u:${SECRET}x`)}`],
    ["in base64 of xu:secret", `Basic ${base64(`xyu:${SECRET}yz`)}`],
    ["in base64url", Buffer.from(`>>>${SECRET}`).toString("base64url")],
    ["in HTML", SECRET.replaceAll("&", "&amp;").replaceAll('"', "&quot;")],
  ])("are removed %s", (_name, text) => {
    const result = seen({ deep: [{ text }] });
    expect(result).toMatch(/secret|redacted/);
    const tails = [
      "SENTINEL",
      "s3cr",
      base64("SENTINEL").slice(0, 8),
      Buffer.from("SENTINEL").toString("hex"),
      Buffer.from("SENTINEL").toString("hex").toUpperCase(),
    ];
    for (const tail of tails) expect(result).not.toContain(tail);
  });

  it("are removed from keys", () => expect(seen({ [SECRET]: 1 })).not.toContain("SENTINEL"));

  it("alone become an object that says type, length and fingerprint, the same for the same value", () => {
    expect(redact({ a: SECRET, b: SECRET }, { fingerprint, matcher })).toEqual({
      a: { $redacted: { kind: "string", length: SECRET.length, fingerprint: fingerprint(SECRET) } },
      b: { $redacted: { kind: "string", length: SECRET.length, fingerprint: fingerprint(SECRET) } },
    });
  });

  it("that are numbers are found as numbers", () => {
    expect(redact({ pin: 482913 }, { fingerprint, matcher: createSecretMatcher(["482913"]) })).toMatchObject({
      pin: { $redacted: { kind: "number" } },
    });
  });

  it("of three characters are only found alone, so that text stays readable", () => {
    const short = createSecretMatcher(["abc"]);
    expect(redact(["abc", "abcdef"], { fingerprint, matcher: short })).toEqual([
      expect.objectContaining({ $redacted: expect.anything() }),
      "abcdef",
    ]);
  });

  it("within a longer secret leave nothing of the longer one behind", () => {
    expect(
      redactText("key=alpha-beta-gamma", {
        fingerprint: () => "f",
        matcher: createSecretMatcher(["alpha", "alpha-beta-gamma"]),
      }),
    ).toBe("key=[secret f]");
  });

  it("never survive, whatever they are and whatever surrounds them", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 4 }), fc.string(), fc.string(), (secret, before, after) => {
        const pieces: string[] = [];
        const text = createSecretMatcher([secret]).replaceAll(
          `${before}${secret}${after}`,
          () => `${pieces.push("") && MARK}`,
        );
        return pieces.length > 0 && text.split(MARK).every((piece) => !piece.includes(secret));
      }),
    );
  });

  it("an empty list of secrets changes nothing", () =>
    expect(redactText("text", { fingerprint, matcher: createSecretMatcher(["", ""]) })).toBe("text"));
});

describe("secrets by schema and by name", () => {
  it.each([
    ["secret", { secret: true }],
    ["writeOnly", { writeOnly: true }],
    ["format password", { format: "password" }],
    ["a branch", { anyOf: [{ type: "null" }, { secret: true }] }],
    ["a reference", { $ref: "#/$defs/key" }],
  ])("a property marked by %s", (_name, property) => {
    const schema = {
      type: "object",
      properties: { a: property, list: { type: "array", items: property } },
      $defs: { key: { secret: true } },
    };
    const result = JSON.stringify(
      redact({ a: "value-1", list: ["value-2"], other: "value-3" }, { fingerprint, schema }),
    );
    expect([result.includes("value-1"), result.includes("value-2"), result.includes("value-3")]).toEqual([
      false,
      false,
      true,
    ]);
  });

  it("a schema that refers to itself many times does not loop forever", () => {
    const schema = {
      $ref: "#/$defs/node",
      $defs: {
        node: {
          allOf: Array.from({ length: 40 }, () => ({ $ref: "#/$defs/node" })),
          properties: { next: { $ref: "#/$defs/node" }, key: { secret: true } },
        },
      },
    };
    expect(JSON.stringify(redact({ next: { next: { key: "hidden-1" } } }, { fingerprint, schema }))).not.toContain(
      "hidden-1",
    );
  });

  it.each(["password", "API_KEY", "api-key", "Authorization", "client_secret", "accessToken", "credentials"])(
    "a field named %s",
    (name) => {
      expect(JSON.stringify(redact({ [name]: "hidden-1" }, { fingerprint }))).not.toContain("hidden-1");
      expect(JSON.stringify(redact({ [name]: { deep: "hidden-1" } }, { fingerprint }))).not.toContain("hidden-1");
    },
  );

  it.each(["max_tokens", "key", "author", "next_page_token", "secretary", "tokens"])(
    "a field named %s is shown",
    (name) => {
      expect(redact({ [name]: "shown" }, { fingerprint })).toEqual({ [name]: "shown" });
    },
  );

  it("absent, empty and yes/no values under such a name are shown", () => {
    const value = { password: null, token: "", secret: false };
    expect(redact(value, { fingerprint })).toEqual(value);
  });
});

describe("what cannot be trusted", () => {
  it("an argument cannot pass itself off as redacted", () => {
    expect(
      redact({ cmd: { $redacted: { kind: "string", length: 4, fingerprint: "rm -rf" } } }, { fingerprint }),
    ).toEqual({
      cmd: { $$redacted: { kind: "string", length: 4, fingerprint: "rm -rf" } },
    });
  });

  it("a reference to a secret is never opened", () => {
    expect(redact({ a: SecretRef.literal("hidden-1") }, { fingerprint })).toMatchObject({
      a: { $redacted: { kind: "secret", length: 0 } },
    });
  });

  it("keys such as __proto__ stay data", () => {
    const result = redact(JSON.parse('{"__proto__": {"x": 1}}'), { fingerprint }) as object;
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it("what is nested too deep to be read is removed", () => {
    let value: unknown = "hidden-1";
    for (let depth = 0; depth < 150; depth += 1) value = [value];
    expect(JSON.stringify(redact(value, { fingerprint }))).not.toContain("hidden-1");
  });

  it("a value without secrets comes back the same", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (/redacted|token|secret|pass|key|auth|cookie|cred|pwd/i.test(text)) return;
        expect(JSON.stringify(redact(value, { fingerprint, matcher: createSecretMatcher(["never-in-here"]) }))).toBe(
          text,
        );
      }),
    );
  });
});
