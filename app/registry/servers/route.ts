import { route } from "@/app/api-route";
import { listRegistryServers } from "@/lib/tools/registry/list-registry";
import { runtime } from "@/lib/runs/runtime";
import { listServers } from "@/lib/http/schemas/registry";
import { toServer } from "../to-wire";

export const GET = route(listServers, async () => ({
  data: { items: (await listRegistryServers(runtime())).map(toServer) },
}));
