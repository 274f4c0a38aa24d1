import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SECRET_SPELLINGS, type SecretSpelling, tabulateSpellings } from "@/lib/testing/secret-spellings";
import { createSecretMatcher } from "./secret-matcher";
import { readText } from "./text-reading";

const MARK = "\u{1F512}";
const EXAMPLE = `k3y/"it's"&\\+ü`;
const SECRETS = [
  EXAMPLE,
  "sk-live-51HxQ+Zz/8aF==",
  `päß "w0rt" <&> 'x' / \\ %41 &amp; end`,
  "-----BEGIN KEY-----\nMIIE/vQ+IBADANBg\nkqh=\n-----END KEY-----\n",
  "\u{1F511}-emoji/key-\u{1F512}".replace(MARK, "x"),
  "plainSecret42",
  "\ufffd in a secret",
];

/** What is left of a secret when its spelling is between two texts. */
function leftOf(
  { write, isInside }: SecretSpelling,
  secret: string,
  [before, after]: readonly [string, string],
): { found: boolean; left: string } {
  const written = write(secret);
  const cleaned = createSecretMatcher([secret]).replaceAll(`${before}${written}${after}`, () => MARK);
  if (!isInside) {
    // A backslash right before it may have become part of its first escape; then one of the two stays.
    const [left = "", right = "", ...more] = cleaned.split(MARK);
    const isClean = more.length === 0 && (before.startsWith(left) || left === "\\\\") && after.endsWith(right);
    return { found: cleaned.includes(MARK), left: isClean ? "" : cleaned };
  }
  // Of a longer text its other parts stay, and at each end a character that belongs to both.
  const around = written.length - Math.floor((Buffer.byteLength(secret) * 4) / 3);
  const left = cleaned
    .slice(before.length, cleaned.length - after.length)
    .split(MARK)
    .join("");
  return { found: cleaned.includes(MARK), left: left.length > around + 12 ? left : "" };
}

describe("the spellings of a known secret", () => {
  const surroundings = [
    ["", ""],
    ["error: ", " was refused"],
    [`{"a":"`, `"}`],
    ["\\", "\\"],
    ["x&", ";x"],
    ["%", "%"],
  ] as const;
  const cases = SECRET_SPELLINGS.flatMap((spelling) =>
    SECRETS.map((secret, index) => [spelling.name, index, spelling, secret] as const),
  );
  it.each(cases)(
    verifies("secrets:spellings", "%s, secret %i, is found and nothing of it is left, whatever is around it"),
    (_name, _index, spelling, secret) => {
      for (const around of surroundings)
        expect({ around, ...leftOf(spelling, secret, around) }).toEqual({ around, found: true, left: "" });
    },
  );

  it("are all found for any secret", () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 9, maxLength: 40, unit: "grapheme" }),
        fc.constantFrom(...SECRET_SPELLINGS),
        (secret, spelling) => {
          fc.pre(secret.isWellFormed() && !secret.includes(MARK));
          return leftOf(spelling, secret, ["<", ">"]).found;
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("are those that SECURITY.md names, with what is not found", () => {
    expect(readFileSync("SECURITY.md", "utf8")).toContain(tabulateSpellings(EXAMPLE));
  });
});

describe("what is not a secret stays", () => {
  it("short values are not found in the middle of words, nor in base64 by chance", () => {
    const matcher = createSecretMatcher(["abc", "Zm9v", "1234"]);
    const text = "abcdef Y\nWJjZA== 313\n2 33 34";
    expect(matcher.replaceAll(text, () => MARK)).toBe(text);
  });

  it("text with every kind of escape stays as it was", () => {
    const matcher = createSecretMatcher(SECRETS);
    const text = `100%25 &amp; "\\u0041" \\\\ \\n &#39; %zz &nope; &#x110000; %C3 %FF\n${Buffer.from("something else altogether").toString("base64")}\n`;
    expect(matcher.replaceAll(text, () => MARK)).toBe(text);
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom("%", "4", "1", "&", "#", "x", ";", "\\", "u", "0", "a", "\n", '"'),
          maxLength: 200,
        }),
        (noise) => {
          expect(matcher.replaceAll(noise, () => MARK)).toBe(noise);
        },
      ),
    );
  });

  it("two adjacent secrets are both named, and what is between them stays", () => {
    const matcher = createSecretMatcher(["alpha-secret", "beta/secret"]);
    expect(matcher.replaceAll("alpha-secret, beta%2Fsecret!", (secret) => `[${secret.length}]`)).toBe("[12], [11]!");
  });
});

describe("large results", () => {
  const matcher = createSecretMatcher([
    ...SECRETS,
    ...Array.from({ length: 20 }, (_, index) => `another-secret-${index}-with/some"signs`),
  ]);
  const pieces: [string, string][] = [
    ["prose", "The quick brown fox jumps over the lazy dog. "],
    ["beginnings of a secret", "-----BEGIN KEY-----\nMIIE/vQ+IBADANBg\nkqh=\n-----END KEX"],
    ["escapes of every kind", '%41%2f&amp;&#39;&#x27;\\u0041\\\\\\"\\n'],
    ["backslashes", "\\\\\\\\\\\\\\\\"],
    ["percent signs", "%25%25%25%25"],
    ["ampersands", "&amp;&amp;amp;"],
    ["base64 in lines", `${Buffer.from("x".repeat(57)).toString("base64")}\n`],
    ["hexadecimal", "deadBEEF"],
  ];

  it.each(pieces)("of %s are read a fixed number of times, however long they are", (_name, piece) => {
    const large = piece.repeat(Math.ceil(1_000_000 / piece.length));
    const { plain, coded } = readText(large);
    const read = [...plain, ...coded, ...coded].reduce((sum, { text }) => sum + text.length, 0);
    expect(read).toBeLessThanOrEqual(20 * large.length);
    expect(matcher.replaceAll(large, () => MARK)).toBe(large);
  });

  it("with many secrets in them lose all of them", () => {
    const cleaned = matcher.replaceAll(`${encodeURIComponent(EXAMPLE)} `.repeat(20_000), () => MARK);
    expect(cleaned).toBe(`${MARK} `.repeat(20_000));
  });
});
