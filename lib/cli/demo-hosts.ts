import { env, processVariables } from "@/lib/env";

/**
 * The demo's tool server is on this machine, which `npm start` allows for the demo project; commands beside it must see
 * it as well.
 */
export function allowedHosts(): string[] {
  const isDemo = (processVariables().KIMITSU_PROJECT || "kimitsu") === "kimitsu";
  return env.KIMITSU_ALLOW_HOSTS.length > 0 || !isDemo ? env.KIMITSU_ALLOW_HOSTS : ["127.0.0.1", "localhost"];
}
