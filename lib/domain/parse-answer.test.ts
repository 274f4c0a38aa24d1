import { describe, expect, test } from "vitest";
import { parseAnswer } from "@/lib/domain/parse-answer";

describe("reading an answer", () => {
  test.each(['{"a":1}', ' {"a":1}\n', '```json\n{"a":1}\n```', '```\n{"a":1}\n```', '\n```json\n{"a":1}```\n'])("%j is the object in it", (text) => {
    expect(parseAnswer(text, true)).toEqual({ ok: true, answer: { a: 1 } });
  });

  test("what no database holds is replaced, in names and values, when an escape becomes a character", () => {
    const text = String.raw`{"a\u0000":["\ud800","ü😀"]}`;
    expect(parseAnswer(text, true)).toEqual({ ok: true, answer: { "a\uFFFD": ["\uFFFD", "ü😀"] } });
  });

  test.each(["[1]", "1", "null", '"text"', "words", 'Here it is: {"a":1}', '{"a":1} {"b":2}', ""])("%j is refused where JSON is wanted, and plain text where not", (text) => {
    expect(parseAnswer(text, true)).toMatchObject({ ok: false });
    expect(parseAnswer(text, false)).toEqual({ ok: true, answer: { text } });
  });
});
