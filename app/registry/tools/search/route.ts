import { toTool } from "@/app/registry/to-wire";
import { route } from "@/app/api-route";
import { listRegistryTools } from "@/lib/tools/registry/list-registry";
import { runtime } from "@/lib/runs/runtime";
import { searchTools } from "@/lib/http/schemas/registry";

export const GET = route(searchTools, async ({ query }) => ({
  data: { items: (await listRegistryTools(runtime(), query)).map(toTool) },
}));
