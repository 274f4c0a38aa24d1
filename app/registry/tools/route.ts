import { route } from "@/app/api-route";
import { listRegistryTools } from "@/lib/engine/list-registry";
import { runtime } from "@/lib/engine/runtime";
import { listTools } from "@/lib/http/schemas/registry";
import { toTool } from "../to-wire";

export const GET = route(listTools, async ({ query }) => ({ data: { items: (await listRegistryTools(runtime(), query)).map(toTool) } }));
