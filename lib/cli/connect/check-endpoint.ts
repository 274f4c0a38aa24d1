/** Asks the MCP endpoint for its tools as a client with this token would. */
import { SecretRef } from "@/lib/config/secret-ref";
import { serverSchema } from "@/lib/config/server-schema";
import { KimitsuError } from "@/lib/errors";
import { createToolPool } from "@/lib/tools/tool-pool";

/** The names of the tools; throws with what failed. */
export async function checkEndpoint(url: string, token: string): Promise<string[]> {
  const { hostname } = new URL(url);
  const pool = createToolPool({ allowHosts: [hostname.replaceAll(/^\[|\]$/g, "")], stdio: null });
  try {
    const { tools } = await pool.listTools(
      {
        definition: serverSchema.parse({ name: "kimitsu", url }),
        resolved: {
          params: {},
          auth: { header: "Authorization", value: SecretRef.literal(`Bearer ${token}`) },
          env: {},
        },
        secrets: () => undefined,
      },
      { ageMaxMs: 0 },
    );
    return tools.map(({ name }) => name);
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    throw new KimitsuError("tool_failed", `${url} did not list its tools: ${error.message}`, { cause: error });
  } finally {
    await pool.close();
  }
}
