/** The tool server behind the proxies that `npm run bench -- proxy` compares, as a process of its own. */
import { processVariables } from "@/lib/env";
import { startSlowServer } from "./slow-server";

await startSlowServer(0, undefined, Number(processVariables().TOOL_PORT));
