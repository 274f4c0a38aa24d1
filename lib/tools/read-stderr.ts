/**
 * What a hosted program writes to its standard error, for the log: line by line, without secrets and terminal codes,
 * cut, and not more of it than somebody could read.
 */
import type { Readable } from "node:stream";
import type { SecretMatcher } from "@/lib/text/secret-matcher";
import { cleanText } from "@/lib/text/tool-text";
import { STDERR_LINE_BYTES_MAX, STDERR_LINE_LENGTH_MAX, STDERR_LINES_MAX, STDERR_WINDOW_MS } from "./tool-limits";
import { hideSecrets } from "./tool-server";

export interface StderrOptions {
  /** Built for each piece of text, so that nothing keeps the secrets. */
  matcher: () => SecretMatcher;
  onLine: (line: string) => void;
  now: () => number;
}

const NEWLINE = 0x0a;

export function readStderr(stream: Readable, { matcher, onLine, now }: StderrOptions): void {
  let rest: Buffer = Buffer.alloc(0);
  let isTooLong = false;
  let windowStart = now();
  let lines = 0;
  let leftOut = 0;

  function pass(line: string): void {
    if (now() - windowStart >= STDERR_WINDOW_MS) {
      reportLeftOut();
      windowStart = now();
      lines = 0;
    }
    lines += 1;
    if (lines > STDERR_LINES_MAX) leftOut += 1;
    else
      onLine(line.length > STDERR_LINE_LENGTH_MAX ? `${line.slice(0, STDERR_LINE_LENGTH_MAX).toWellFormed()}…` : line);
  }

  function reportLeftOut(): void {
    if (leftOut > 0) onLine(`[${leftOut} lines left out]`);
    leftOut = 0;
  }

  /** Complete lines together, because a secret may go over several. */
  function passAll(text: string): void {
    if (lines > STDERR_LINES_MAX && now() - windowStart < STDERR_WINDOW_MS) {
      leftOut += text.split("\n").length;
      return;
    }
    const secrets = matcher();
    const safe = hideSecrets(secrets, cleanText(hideSecrets(secrets, text)));
    for (const line of safe.split("\n")) if (line.trim() !== "") pass(line);
  }

  stream.on("data", (chunk: Buffer) => {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end >= 0) {
      const complete = Buffer.concat([rest, chunk.subarray(0, end)]);
      // The end of a line whose beginning was too long: a part of a secret in it could not be recognised.
      passAll((isTooLong ? complete.subarray(afterFirstLine(complete)) : complete).toString("utf8"));
      isTooLong = false;
    }
    rest = isTooLong ? rest : Buffer.concat([end >= 0 ? Buffer.alloc(0) : rest, chunk.subarray(end + 1)]);
    if (rest.length <= STDERR_LINE_BYTES_MAX) return;
    rest = Buffer.alloc(0);
    isTooLong = true;
    pass(`[a line of more than ${STDERR_LINE_BYTES_MAX} bytes was left out]`);
  });
  stream.once("end", () => {
    if (!isTooLong && rest.length > 0) passAll(rest.toString("utf8"));
    reportLeftOut();
  });
}

function afterFirstLine(text: Buffer): number {
  const end = text.indexOf(NEWLINE);
  return end < 0 ? text.length : end + 1;
}
