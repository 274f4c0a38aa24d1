import { toTool } from "@/app/registry/to-wire";
import { route } from "@/app/api-route";
import { listRegistryTools } from "@/lib/engine/list-registry";
import { runtime } from "@/lib/engine/runtime";
import { searchTools } from "@/lib/http/schemas/registry";

export const GET = route(searchTools, async ({ query }) => ({ data: { items: (await listRegistryTools(runtime(), query)).map(toTool) } }));
