/**
 * Requests to a server that are no calls of a tool: its resources, prompts and completions, for clients that see them
 * through Kimitsu. What comes back holds no secret that is known here.
 */
import type { StandardSchemaV1 } from "@modelcontextprotocol/client";
import { mapText } from "@/lib/text/tool-text";
import type { ToolPool } from "./tool-pool";
import { hideSecrets, matchSecrets, type ToolServer } from "./tool-server";
import { untilAborted } from "./until-aborted";

export const PASSED_METHODS = [
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "prompts/list",
  "prompts/get",
  "completion/complete",
] as const;
export type PassedMethod = (typeof PASSED_METHODS)[number];

export interface ServerRequest {
  method: PassedMethod;
  params: Record<string, unknown>;
}

/** What a server states about itself when it is connected. */
export interface ServerFeatures {
  resources: boolean;
  prompts: boolean;
  completions: boolean;
  logging: boolean;
}

const REQUEST_TIMEOUT_MS = 60_000;

/** The answer's form is not checked here: it is the client's to understand, as it would be without us. */
const anything: StandardSchemaV1<unknown, Record<string, unknown>> = {
  "~standard": { version: 1, vendor: "kimitsu", validate: (value) => ({ value: value as Record<string, unknown> }) },
};

/** Throws ServerUnreachable, or the server's own protocol error. */
export function askServer(
  pool: ToolPool,
  server: ToolServer,
  { method, params, signal }: ServerRequest & { signal: AbortSignal },
): Promise<Record<string, unknown>> {
  return pool.use(server, signal, async ({ client }) => {
    const matcher = matchSecrets(server);
    const hide = (text: string) => hideSecrets(matcher, text);
    try {
      const options = { signal, timeout: REQUEST_TIMEOUT_MS, allowInputRequired: true };
      const answer = await untilAborted(client.request({ method, params }, anything, options), signal);
      return mapText(answer, hide) as Record<string, unknown>;
    } catch (error) {
      if (error instanceof Error) error.message = hide(error.message);
      throw error;
    }
  });
}

/** Throws ServerUnreachable. */
export function readFeatures(pool: ToolPool, server: ToolServer, signal: AbortSignal): Promise<ServerFeatures> {
  return pool.use(server, signal, async ({ client }) => {
    const { resources, prompts, completions, logging } = client.getServerCapabilities() ?? {};
    return {
      resources: resources !== undefined,
      prompts: prompts !== undefined,
      completions: completions !== undefined,
      logging: logging !== undefined,
    };
  });
}
