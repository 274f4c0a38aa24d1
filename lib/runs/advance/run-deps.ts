import type { Project } from "@/lib/config/project";
import type { EngineDeps } from "@/lib/database/deps";
import type { PinBook } from "@/lib/tools/rules/tool-pin";
import type { ModelGateway } from "@/lib/models/gateway";
import type { GuardedFetch } from "@/lib/tools/egress";
import type { ToolPool } from "@/lib/tools/tool-pool";

export interface LoadedProject {
  project: Project;
  gateway: ModelGateway;
}

/** The project as it is now, and as it was for runs that started earlier. */
export interface Projects {
  current(): LoadedProject;
  get(hash: string): Promise<LoadedProject>;
  /** The lock of tools as it is now; null when the project has none. By server name. */
  lock(): Readonly<Record<string, PinBook>> | null;
}

/** What advancing a run needs from outside. */
export interface RunDeps extends EngineDeps {
  projects: Projects;
  pool: ToolPool;
  fetch: GuardedFetch;
  /** Where declared variables are read, at the moment of use. */
  processEnv: Readonly<Record<string, string | undefined>>;
  deployment: { allowBypass: boolean };
  /** A keyed hash, for "the same value as in call 3". */
  fingerprint: (value: string) => string;
}
