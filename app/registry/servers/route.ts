import { route } from "@/app/api-route";
import { listRegistryServers } from "@/lib/engine/list-registry";
import { runtime } from "@/lib/engine/runtime";
import { listServers } from "@/lib/http/schemas/registry";
import { toServer } from "../to-wire";

export const GET = route(listServers, async () => ({ data: { items: (await listRegistryServers(runtime())).map(toServer) } }));
