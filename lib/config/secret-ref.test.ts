import { Writable } from "node:stream";
import { Console } from "node:console";
import { format, inspect } from "node:util";
import { serialize } from "node:v8";
import pino from "pino";
import { describe, expect, it } from "vitest";
import { isSecret, listSecrets, revealSecrets, SecretRef } from "./secret-ref";

const VALUE = "s3cr3t-value";
const SECRETS = [
  ["a variable", SecretRef.env("TOKEN")],
  ["a literal", SecretRef.literal(VALUE)],
  ["text with secrets", SecretRef.join(["Basic ", SecretRef.literal(VALUE), ":", SecretRef.env("TOKEN")])],
] as const;

function printed(print: (stream: Writable) => void): string {
  let text = "";
  print(
    new Writable({
      write: (chunk, _encoding, done) => {
        text += String(chunk);
        done();
      },
    }),
  );
  return text;
}

const PRINTERS: [string, (secret: SecretRef) => string][] = [
  ["String()", (secret) => String(secret)],
  ["a template literal", (secret) => `${secret}`],
  ["concatenation", (secret) => "" + (secret as unknown as string)],
  ["toString", (secret) => secret.toString()],
  ["toLocaleString", (secret) => secret.toLocaleString()],
  ["Array.join", (secret) => [secret].join()],
  ["JSON.stringify", (secret) => JSON.stringify(secret)],
  ["JSON.stringify of something around it", (secret) => JSON.stringify({ deep: [{ secret }] })],
  ["util.inspect", (secret) => inspect(secret)],
  [
    "util.inspect with everything shown",
    (secret) => inspect({ secret }, { showHidden: true, depth: Infinity, getters: true }),
  ],
  ["util.format", (secret) => format("%s %o %O %j", secret, secret, secret, secret)],
  ["an error's message", (secret) => String(new Error(secret as unknown as string).stack)],
  ["console.log", (secret) => printed((stream) => new Console(stream).log(secret, { secret }))],
  ["console.table", (secret) => printed((stream) => new Console(stream).table([{ secret }]))],
  ["console.dir", (secret) => printed((stream) => new Console(stream).dir({ secret }, { showHidden: true }))],
  [
    "pino",
    (secret) =>
      printed((stream) => pino(stream).info({ value: secret, deep: { value: secret } }, "said %s %o", secret, secret)),
  ],
  ["Object.prototype.toString", (secret) => Object.prototype.toString.call(secret)],
];

describe.each(SECRETS)("a secret that is %s", (_name, secret) => {
  it.each(PRINTERS)("prints as [secret] by %s", (_way, print) => {
    const text = print(secret);
    expect(text).toMatch(/\[secret\]|\[object secret\]/);
    expect(text).not.toContain(VALUE);
    expect(text).not.toContain("Basic");
  });

  it("cannot be copied to where it would print", () => {
    expect(() => structuredClone(secret)).toThrow(/could not be cloned/);
    expect(() => structuredClone({ deep: secret })).toThrow();
    expect(() => serialize(secret)).toThrow();
  });

  it("shows nothing when it is inspected", () => {
    const parts = [...Reflect.ownKeys(secret).map((key) => Reflect.get(secret, key)), ...Object.values({ ...secret })];
    expect(parts.filter((part) => typeof part !== "function")).toEqual([]);
    expect(parts.map(String).join()).not.toContain(VALUE);
    expect(() => Object.assign(secret, { toJSON: () => "stolen" })).toThrow();
  });
});

describe("revealing", () => {
  const resolve = ({ kind, name }: { kind: string; name: string }) => (name === "TOKEN" ? `${kind}-value` : undefined);

  it("asks the resolver for each source, at the moment of use", () => {
    expect(
      SecretRef.join([
        "Basic ",
        SecretRef.env("TOKEN"),
        ":",
        SecretRef.param("TOKEN"),
        ":",
        SecretRef.literal("x"),
      ]).reveal(resolve),
    ).toBe("Basic env-value:param-value:x");
  });

  it("names what is missing and shows no value", () => {
    expect(() => SecretRef.join([SecretRef.literal(VALUE), SecretRef.env("OTHER")]).reveal(resolve)).toThrow(
      "The secret of environment variable OTHER is not available",
    );
  });

  it("lists its sources", () => {
    expect(SecretRef.join(["a", SecretRef.env("A"), SecretRef.param("b")]).sources).toEqual([
      { kind: "env", name: "A" },
      { kind: "param", name: "b" },
    ]);
  });

  it("works inside of other values", () => {
    const value = { a: [SecretRef.env("TOKEN"), 1], b: null };
    expect(revealSecrets(value, resolve)).toEqual({ a: ["env-value", 1], b: null });
    expect(listSecrets(value)).toHaveLength(1);
    expect(isSecret({ toJSON: () => "[secret]" })).toBe(false);
  });
});
