import { callerOf } from "@/app/api-caller";
import { route } from "@/app/api-route";
import { searchConsole } from "@/lib/http/schemas/console";
import { findAll } from "./find-all";

export const GET = route(searchConsole, async ({ query, principal }) => ({
  data: { groups: await findAll(callerOf(principal), query.q) },
}));
