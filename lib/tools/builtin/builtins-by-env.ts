/** What the environment of this process says about built-in servers. */
import { existsSync } from "node:fs";
import { env } from "@/lib/env";
import type { BuiltinDeployment } from "./open-builtin";

export function builtinsByEnv(projectFolder: string): BuiltinDeployment {
  return {
    files: { projectFolder, dataFolder: env.KIMITSU_DATA, confinedTo: env.KIMITSU_FILES_BASE ?? null },
    http: { innerHosts: env.KIMITSU_ALLOW_HOSTS },
    shell: { bwrap: findBwrap(), allowUnsandboxed: env.KIMITSU_ALLOW_UNSANDBOXED_SHELL },
  };
}

/** Only where the system puts it: a folder of PATH may belong to anybody. Null when it is not installed. */
export const findBwrap = (): string | null =>
  ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"].find((each) => existsSync(each)) ?? null;
