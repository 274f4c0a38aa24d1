import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { createSecretMatcher } from "@/lib/text/secret-matcher";
import { readStderr } from "./read-stderr";
import { STDERR_LINE_BYTES_MAX, STDERR_LINE_LENGTH_MAX, STDERR_LINES_MAX, STDERR_WINDOW_MS } from "./tool-limits";

function open(secret = "SENTINEL-secret") {
  const stream = new PassThrough();
  const lines: string[] = [];
  const clock = { now: 0 };
  readStderr(stream, {
    matcher: () => createSecretMatcher([secret]),
    onLine: (line) => lines.push(line),
    now: () => clock.now,
  });
  const finish = async () => {
    const ended = new Promise((resolve) => stream.once("end", resolve));
    stream.end();
    await ended;
    return lines;
  };
  return { stream, lines, clock, finish };
}

test("a line in several pieces is one line, and the last one needs no line break", async () => {
  const { stream, finish } = open();
  for (const piece of ["one", " and\ntw", "o\nSENTINEL-", "secret"]) stream.write(piece);
  expect(await finish()).toEqual(["one and", "two", "[secret]"]);
});

test("a long line is cut after its secrets are hidden", async () => {
  const { stream, finish } = open("s".repeat(600));
  stream.write(`${"s".repeat(600)} ${"x".repeat(2_000)}\n`);
  const [line] = await finish();
  expect(line).toMatch(/^\[secret\] x+…$/);
  expect(line).toHaveLength(STDERR_LINE_LENGTH_MAX + 1);
});

test("of a line that is too long to be held nothing is passed on, and the next one is", async () => {
  const { stream, finish } = open();
  for (let index = 0; index < 5; index += 1) stream.write("y".repeat(STDERR_LINE_BYTES_MAX / 2 + 1));
  stream.write("SENTINEL-sec");
  stream.write("ret\nnext\n");
  expect(await finish()).toEqual([`[a line of more than ${STDERR_LINE_BYTES_MAX} bytes was left out]`, "next"]);
});

test("too many lines are counted instead, until the window is over", async () => {
  const { stream, lines, clock, finish } = open();
  for (let index = 0; index < STDERR_LINES_MAX + 50; index += 1) stream.write(`line ${index}\n`);
  expect(lines).toHaveLength(STDERR_LINES_MAX);
  clock.now += STDERR_WINDOW_MS;
  stream.write("later\n");
  expect(lines.slice(STDERR_LINES_MAX)).toEqual(["[50 lines left out]", "later"]);
  expect(await finish()).toHaveLength(STDERR_LINES_MAX + 2);
});
