import type { ProjectProfile } from "@/lib/config/project";
import type { ClientCaller } from "@/lib/proxy/client-calls";
import type { ProxyDeps } from "@/lib/proxy/proxy-deps";

/** One client at work: who it is by its token, and what its profile lets it do. */
export interface McpClient {
  deps: ProxyDeps;
  caller: ClientCaller;
  profile: ProjectProfile;
}
