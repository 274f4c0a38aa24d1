/**
 * How the commands that read a project load it: from the environment variables, and from what was given on the command
 * line.
 */
import path from "node:path";
// A project declares variables of its own, so their names are not known to lib/env.ts; only whether they are set is
// checked.
import { cwd, env as variables, stdout } from "node:process";
import { allowedHosts } from "@/lib/cli/demo-hosts";
import type { LoadOptions } from "@/lib/config/load-project";
import { env } from "@/lib/env";

export function projectRoot(): string {
  return path.resolve(env.KIMITSU_PROJECT);
}

/** The project folder as the person at the terminal would type it, for problems that an editor can jump to. */
export function displayRoot(root: string): string {
  const relative = path.relative(cwd(), root);
  return relative === "" ? "." : relative.startsWith("..") ? root : relative.split(path.sep).join("/");
}

export function loadOptions(given: { env?: string | undefined } = {}): LoadOptions {
  return {
    env: given.env ?? env.KIMITSU_ENV,
    deployment: {
      allowStdio: env.KIMITSU_ALLOW_STDIO,
      allowBypass: env.KIMITSU_ALLOW_BYPASS,
      allowHosts: allowedHosts(),
    },
    processEnv: variables,
  };
}

export interface Paint {
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  dim(text: string): string;
}

/** Colours only for a terminal, and never where NO_COLOR asks for none. */
export function createPaint(isColoured = stdout.isTTY && (variables.NO_COLOR ?? "") === ""): Paint {
  const wrap = (code: number) => (text: string) => (isColoured ? `\u001B[${code}m${text}\u001B[0m` : text);
  return { good: wrap(32), bad: wrap(31), warn: wrap(33), dim: wrap(2) };
}
