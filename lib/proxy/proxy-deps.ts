import type { RunDeps } from "@/lib/runs/advance/run-deps";
import type { ClientCalls } from "@/lib/proxy/client-calls";

/** What serving MCP clients needs from outside. */
export interface ProxyDeps extends Pick<RunDeps, "db" | "now" | "projects" | "pool" | "processEnv" | "deployment"> {
  calls: ClientCalls;
  /** Where people reach the console, such as `https://kimitsu.example.com`. */
  origin: string;
}
