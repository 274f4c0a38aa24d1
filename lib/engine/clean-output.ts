/**
 * What is said past the log, by Next.js, a library or an error that nobody caught, goes out without any secret that this process knows. The log itself
 * writes past this: its lines hold ids and shapes.
 */
import { matchKnownSecrets, matchOwnSecrets } from "@/lib/engine/known-secrets";
import { findRuntime } from "@/lib/engine/runtime";
import { processVariables } from "@/lib/env";

const SHOWN = "[secret]";

// Next may load this twice in development.
const kept = globalThis as typeof globalThis & { __kimitsuOutputIsClean?: boolean };

export function cleanOutput(): void {
  if (kept.__kimitsuOutputIsClean) return;
  kept.__kimitsuOutputIsClean = true;
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
    stream.write = ((chunk: unknown, ...rest: unknown[]) => write(typeof chunk === "string" ? withoutSecrets(chunk) : chunk, ...rest)) as typeof stream.write;
  }
}

function withoutSecrets(text: string): string {
  const variables = processVariables();
  const project = findRuntime()?.projects.current().project;
  const matcher = project ? matchKnownSecrets(project, variables) : matchOwnSecrets(variables);
  return matcher.replaceAll(text, () => SHOWN);
}
