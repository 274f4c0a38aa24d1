/** A tool server as the engine would pass it, and a pool that may reach loopback and ends with the test. */
import type { ResolvedParam } from "@/lib/config/resolve-server";
import { SecretRef } from "@/lib/config/secret-ref";
import { serverSchema } from "@/lib/config/server-schema";
import { createToolPool, type ToolPool, type ToolPoolOptions } from "@/lib/tools/tool-pool";
import type { ToolServer } from "@/lib/tools/tool-server";

export interface TestServerOptions {
  /** Fields of the server file. */
  fields?: Record<string, unknown>;
  /** Goes into the header `X-Api-Key`. */
  secret?: string;
  params?: Record<string, unknown>;
  /** Params marked secret that go to the server as params. */
  secretParams?: Record<string, string>;
}

export function testServer(
  url: string | undefined,
  { fields = {}, secret, params = {}, secretParams = {} }: TestServerOptions = {},
): ToolServer {
  const definition = serverSchema.parse({ name: "test", ...(url !== undefined && { url }), timeout: "10m", ...fields });
  const describe = (value: unknown, isSecret: boolean, headerOnly: boolean): ResolvedParam => ({
    value,
    origin: "agent",
    source: { file: "", line: 1, column: 1 },
    secret: isSecret,
    headerOnly,
  });
  const resolved = {
    params: {
      ...Object.fromEntries(Object.entries(params).map(([name, value]) => [name, describe(value, false, false)])),
      ...Object.fromEntries(
        Object.keys(secretParams).map((name) => [name, describe(SecretRef.env(name), true, false)]),
      ),
      ...(secret !== undefined && { api_key: describe(SecretRef.env("api_key"), true, true) }),
    },
    auth: secret === undefined ? null : { header: "X-Api-Key", value: SecretRef.env("api_key") },
    env: {},
  };
  return { definition, resolved, secrets: ({ name }) => (name === "api_key" ? secret : secretParams[name]) };
}

export function testPool(options: Partial<ToolPoolOptions> = {}): ToolPool {
  return createToolPool({ allowHosts: ["127.0.0.1"], stdio: null, connectBackoffMs: 5, ...options });
}
