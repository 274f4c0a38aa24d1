/** A gateway on the given providers, with a held clock and keys that tests can look for. */
import { gatewaySchema } from "@/lib/config/gateway-schema";
import { createGateway, type ModelGateway } from "@/lib/models/gateway";
import type { ScriptFile } from "@/lib/models/load-scripts";
import type { ModelRequest } from "@/lib/models/model";
import type { Fetch } from "@/lib/models/transport";
import { createHeldClock, type HeldClock } from "./held-clock";

/** Values that must never appear outside of a request's headers. */
export const KEYS = {
  ANTHROPIC_KEY: "sk-ant-test-4f9d8c7b6a5e",
  OPENAI_KEY: "sk-proj-test-0a1b2c3d4e5f",
  LOCAL_KEY: "local/test+key=9z8y7x",
  TRACE: "trace-5d6e7f8a9b",
} as const;

export interface GatewayFixture {
  gateway: ModelGateway;
  clock: HeldClock;
}

export interface FixtureOptions {
  providers: unknown[];
  /** One group named `standard`. */
  group: Record<string, unknown>;
  scripts?: ReadonlyMap<string, ScriptFile>;
  variables?: Record<string, string | null>;
  /** Called with the name of every variable whose value is asked for. */
  onRead?: (name: string) => void;
  fetch?: Fetch;
  random?: () => number;
}

export function createGatewayFixture({
  providers,
  group,
  scripts = new Map(),
  variables = {},
  onRead,
  fetch = globalThis.fetch,
  random,
}: FixtureOptions): GatewayFixture {
  const clock = createHeldClock(random ? { random } : {});
  const known: Record<string, string | null> = { ...KEYS, ...variables };
  const env = Object.keys(known).map((name) => ({ name, secret: true }));
  const config = gatewaySchema.parse({
    env,
    providers,
    model_groups: [{ name: "standard", strategy: "fallback", ...group }],
  });
  const findVariable = ({ name }: { name: string }) => {
    onRead?.(name);
    return known[name] ?? null;
  };
  return { clock, gateway: createGateway({ gateway: config, scripts, findVariable, fetch, ...clock }) };
}

export function anthropicProvider(url: string, config: Record<string, unknown> = {}): unknown {
  return {
    name: "anthropic",
    type: "anthropic",
    config: { api_key: "{{ env.ANTHROPIC_KEY }}", base_url: `${url}/v1`, ...config },
  };
}

export function openAIProvider(url: string, config: Record<string, unknown> = {}): unknown {
  return {
    name: "openai",
    type: "openai",
    config: { api_key: "{{ env.OPENAI_KEY }}", base_url: `${url}/v1`, ...config },
  };
}

export function localProvider(url: string, config: Record<string, unknown> = {}): unknown {
  return {
    name: "local",
    type: "openai-compatible",
    config: { api_key: "{{ env.LOCAL_KEY }}", base_url: `${url}/v1`, ...config },
  };
}

export function modelRequest(request: Partial<ModelRequest> = {}): ModelRequest {
  return {
    system: "You sort mail.",
    messages: [{ role: "user", text: "Sort this: invoice 7" }],
    tools: [],
    maxTokens: 256,
    temperature: null,
    metadata: { agent: "sorter", runId: "run_1", stepId: "step_1", turn: 1 },
    ...request,
  };
}
