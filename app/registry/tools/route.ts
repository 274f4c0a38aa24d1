import { route } from "@/app/api-route";
import { listRegistryTools } from "@/lib/tools/registry/list-registry";
import { runtime } from "@/lib/runs/runtime";
import { listTools } from "@/lib/http/schemas/registry";
import { toTool } from "../to-wire";

export const GET = route(listTools, async ({ query }) => ({
  data: { items: (await listRegistryTools(runtime(), query)).map(toTool) },
}));
