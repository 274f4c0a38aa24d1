import { expect, test } from "vitest";
import { cutForModel, cutMiddle, toErrorResult, toToolResult } from "./tool-result";
import { cleanText, hasInvisible, hidesText, nameHidden, showInvisible } from "@/lib/text/tool-text";

test("every kind of block can be read, and is kept as it came", () => {
  const content = [
    { type: "text", text: "one" },
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "audio", data: "AAA=", mimeType: "audio/wav" },
    { type: "resource_link", uri: "https://example.com/r", name: "report" },
    { type: "resource", resource: { uri: "memo://1", text: "memo" } },
    { type: "resource", resource: { uri: "memo://2", blob: "AAAA" } },
    { type: "hologram" },
  ];
  const result = toToolResult({ content });
  expect(result.output.split("\n")).toEqual([
    "one",
    "[image image/png, 3 bytes]",
    "[audio audio/wav, 2 bytes]",
    "[link report https://example.com/r]",
    "memo",
    "[resource memo://2, 3 bytes]",
    "[hologram]",
  ]);
  expect(result).toMatchObject({ success: true, is_error: false, error: null, structured_content: null, content });
});

test("structured content is the output when there is no text", () => {
  expect(toToolResult({ content: [], structuredContent: { a: 1 } })).toMatchObject({
    output: '{"a":1}',
    structured_content: { a: 1 },
  });
  expect(toToolResult({ structuredContent: 0 })).toMatchObject({ output: "0", structured_content: 0 });
});

test("a shell's result has its three fields, and nothing else has them", () => {
  expect(toToolResult({ structuredContent: { stdout: "a\u001B[31mb", stderr: "", exit_code: 2 } })).toMatchObject({
    stdout: "ab",
    stderr: "",
    exit_code: 2,
  });
  for (const structuredContent of [{ stdout: "a" }, { stdout: "a", stderr: "", exit_code: 1.5 }, null, [1]])
    expect(toToolResult({ structuredContent })).not.toHaveProperty("stdout");
});

test.each([
  [{}],
  [{ content: "text" }],
  [{ content: [null, 1, "x", {}] }],
  [{ content: [{ type: "text" }, { type: "image", data: 5 }, { type: "resource", resource: null }] }],
])("%j, which no server may send, is read nevertheless", (answer) => {
  expect(toToolResult(answer).success).toBe(true);
});

test("an error repeats what the server said, or says that it said nothing", () => {
  expect(toToolResult({ isError: true, content: [{ type: "text", text: "no such order" }] })).toMatchObject({
    success: false,
    error: "no such order",
  });
  expect(toToolResult({ isError: true }).error).toContain("does not say");
  expect(toToolResult({ isError: "yes" }).is_error).toBe(false);
});

test("an error result keeps what came, after the explanation", () => {
  expect(toErrorResult("It does not fit.", { content: [{ type: "text", text: "five" }] })).toMatchObject({
    success: false,
    is_error: true,
    error: "It does not fit.",
    output: "It does not fit.\nfive",
  });
});

test("nothing that a database refuses is left, in values or keys", () => {
  const result = toToolResult({
    content: [{ type: "text", text: "a\0b\uD800" }],
    structuredContent: { "k\0": ["\uDC00"] },
  });
  expect(JSON.stringify(result)).not.toMatch(/\\u0000|\\ud800|\\udc00/i);
});

test("a long result is cut for the model with a note of what is missing, within the limit", () => {
  const result = toToolResult({ content: [{ type: "text", text: `START${"x".repeat(10_000)}END` }] });
  const text = cutForModel(result, 1_000) as string;
  expect(text.length).toBeLessThanOrEqual(1_000);
  expect(text).toMatch(/^START[\s\S]*\[… \d+ of 10008 characters left out …\][\s\S]*END$/);
  expect(cutForModel(result, 20_000)).toBe(result.output);
});

test("a cut never leaves half a character", () => {
  for (let limit = 60; limit < 90; limit += 1) expect(cutMiddle("😀".repeat(100), limit).isWellFormed()).toBe(true);
});

test("data goes to the model as data while it fits, and is cut as text when it does not", () => {
  const result = toToolResult({
    content: [{ type: "text", text: "two rows" }],
    structuredContent: { rows: ["a", "b"] },
  });
  expect(cutForModel(result, 1_000)).toEqual({ rows: ["a", "b"] });
  const large = toToolResult({
    content: [{ type: "text", text: "many rows" }],
    structuredContent: { rows: Array.from({ length: 5_000 }, (_row, index) => index) },
  });
  const cut = cutForModel(large, 1_000) as string;
  expect(cut.length).toBeLessThanOrEqual(1_000);
  expect(cut).toMatch(/^\{"rows":\[0,1,[\s\S]*characters left out …\][\s\S]*4999\]\}$/);
});

test("for a failed call the model gets the text, or at least the error", () => {
  expect(
    cutForModel(
      toToolResult({ isError: true, content: [{ type: "text", text: "no such order" }], structuredContent: { id: 7 } }),
      1_000,
    ),
  ).toBe("no such order");
  expect(cutForModel(toToolResult({ isError: true }), 1_000)).toContain("does not say");
});

test("text for models has no terminal codes and names deceptive characters", () => {
  expect(cleanText("a\u001B[1;31mred\u001B[0m\u0007\u009B2Jb\r\nc\td\u001B]8;;http://x\u001B\\link")).toBe(
    "aredb\nc\tdlink",
  );
  expect(cleanText("approve\u202Eevorppa")).toBe("approve⟨U+202E⟩evorppa");
});

test.each([
  ["zero width", "a\u200Bb"],
  ["joiner", "a\u200Db"],
  ["byte order mark", "\uFEFFa"],
  ["soft hyphen", "a\u00ADb"],
  ["bidi override", "a\u202Eb"],
  ["isolate", "a\u2066b"],
  ["tag", "a\u{E0061}b"],
  ["variation selector", "a\uFE0Fb"],
  ["supplementary selector", "a\u{E0100}b"],
  ["hangul filler", "a\u3164b"],
  ["no-break space", "a\u00A0b"],
  ["line separator", "a\u2028b"],
  ["escape", "a\u001Bb"],
  ["delete", "a\u007Fb"],
  ["private use", "a\uE000b"],
])("a reviewer sees a %s", (_what, text) => {
  expect(hasInvisible(text)).toBe(true);
  expect(showInvisible(text)).toMatch(/^a?⟨U\+[0-9A-F]{4,6}⟩[ab]$/);
});

test("emoji, spaces and line ends hide nothing; characters that can hide among them are named", () => {
  for (const text of ["Deletes ⚠️ 1️⃣ 👩‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "10\u00A0000\u202F€", "one\r\ntwo"])
    expect([hidesText({ text }), nameHidden(text)]).toEqual([false, text.replace("\r\n", "\n")]);
  expect(nameHidden("😀\u{E0141} a\u200Db \uFE0Fc")).toBe("😀⟨U+E0141⟩ a⟨U+200D⟩b ⟨U+FE0F⟩c");
  for (const value of [{ "a\u200B": 1 }, ["b\u00AD"], "c\u001B[2K", { d: [{ e: "\u{E0049}" }] }])
    expect(hidesText(value)).toBe(true);
});

test("ordinary text of any language is shown as it is", () => {
  const text = "Löscht 10 % – „sofort“; 日本語, עברית, العربية\n\tend 😀";
  expect(showInvisible(text)).toBe(text);
  expect(cleanText(text)).toBe(text);
});
