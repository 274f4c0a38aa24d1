/**
 * Removes every known secret from what this process writes: lines of the log, and output that bypasses the log (of
 * Next.js, a library, or an uncaught error).
 */
import { matchKnownSecrets, matchOwnSecrets } from "@/lib/projects/known-secrets";
import { findRuntime } from "@/lib/runs/runtime";
import { processVariables } from "@/lib/env";

const SHOWN = "[secret]";

type Write = (chunk: unknown, ...rest: unknown[]) => boolean;

// Next may load this twice in development.
const kept = globalThis as typeof globalThis & {
  __kimitsuOutputIsClean?: boolean;
  __kimitsuCleanLine?: (line: string) => string;
};

let writePast: Write = (chunk) => process.stdout.write(chunk as string);

export function cleanOutput(): void {
  if (kept.__kimitsuOutputIsClean) return;
  kept.__kimitsuOutputIsClean = true;
  // The log does not write through the streams.
  kept.__kimitsuCleanLine = withoutSecrets;
  writePast = process.stdout.write.bind(process.stdout) as Write;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as Write;
    stream.write = ((chunk: unknown, ...rest: unknown[]) => write(cleanChunk(chunk), ...rest)) as typeof stream.write;
  }
}

/** For the answer of a command that was asked for a secret: it is shown once, and on purpose. */
export function showOnce(text: string): void {
  writePast(`${text}\n`);
}

/** Bytes without a secret are written unchanged: they may end in the middle of a character. */
export function cleanChunk(chunk: unknown): unknown {
  if (typeof chunk === "string") return withoutSecrets(chunk);
  if (!(chunk instanceof Uint8Array)) return chunk;
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("utf8");
  const cleaned = withoutSecrets(text);
  return cleaned === text ? chunk : cleaned;
}

function withoutSecrets(text: string): string {
  const variables = processVariables();
  const project = findRuntime()?.projects.current().project;
  const matcher = project ? matchKnownSecrets(project, variables) : matchOwnSecrets(variables);
  return matcher.replaceAll(text, () => SHOWN);
}
