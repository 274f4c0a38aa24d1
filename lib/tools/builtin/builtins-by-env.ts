/** What the environment of this process says about built-in servers. */
import { env } from "@/lib/env";
import type { BuiltinDeployment } from "./open-builtin";

export function builtinsByEnv(projectFolder: string): BuiltinDeployment {
  return {
    files: { projectFolder, dataFolder: env.KIMITSU_DATA, confinedTo: env.KIMITSU_FILES_BASE ?? null },
    http: { innerHosts: env.KIMITSU_ALLOW_HOSTS },
  };
}
