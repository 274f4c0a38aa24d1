import { describe, expect, test } from "vitest";
import { parseAnswer } from "@/lib/models/rules/parse-answer";

describe("reading an answer", () => {
  test.each(['{"a":1}', ' {"a":1}\n', '```json\n{"a":1}\n```', '```\n{"a":1}\n```', '\n```json\n{"a":1}```\n'])(
    "%j is the object in it",
    (text) => {
      expect(parseAnswer(text, true)).toEqual({ ok: true, answer: { a: 1 } });
    },
  );

  test.each([
    'Here it is: {"a":1}',
    '{"a":1}\nI hope this helps {name}.',
    'As asked (in {braces}):\n```json\n{\n  "a": 1\n}\n```\nDone.',
  ])("%j is the one object in prose where JSON is wanted, and plain text where not", (text) => {
    expect(parseAnswer(text, true)).toEqual({ ok: true, answer: { a: 1 } });
    expect(parseAnswer(text, false)).toEqual({ ok: true, answer: { text } });
  });

  test("braces and quotes in the strings of an object do not end it", () => {
    const answer = { a: 'a } and a { and "quotes" and \\', b: [{ c: "}" }] };
    expect(parseAnswer(`So: ${JSON.stringify(answer)} That is all.`, true)).toEqual({ ok: true, answer });
  });

  test("characters that the database cannot store are replaced, in names and values, when an escape becomes a character", () => {
    const text = String.raw`{"a\u0000":["\ud800","ü😀"]}`;
    expect(parseAnswer(text, true)).toEqual({ ok: true, answer: { "a\uFFFD": ["\uFFFD", "ü😀"] } });
  });

  test.each([
    "[1]",
    "1",
    "null",
    '"text"',
    "words",
    '{"a":1} {"b":2}',
    'First {"a":1}, then {"b":2}',
    '{"a":{"b":1}, and so on}',
    'Cut: {"a":{"b":1}',
    "",
  ])("%j is refused where JSON is wanted, and plain text where not", (text) => {
    expect(parseAnswer(text, true)).toMatchObject({ ok: false });
    expect(parseAnswer(text, false)).toEqual({ ok: true, answer: { text } });
  });
});
