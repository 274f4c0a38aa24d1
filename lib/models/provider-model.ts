/**
 * A model behind a provider's HTTP interface: exactly one request for one turn. Retries are the gateway's, so the SDK's
 * model is called directly and never through the functions that repeat a request by themselves.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Gateway } from "@/lib/config/gateway-schema";
import { fromSdkResult } from "./from-sdk-result";
import { type Model, ModelError, type ModelTurn } from "./model";
import { fillProviderConfig, type FindVariable, type RemoteProvider } from "./provider-config";
import { FilteredError } from "./provider-error";
import { toRaw } from "./raw-turn";
import type { SdkModel } from "./sdk-types";
import { toSdkCall } from "./to-sdk-call";
import { createTransport, type Fetch } from "./transport";

export interface ProviderModelOptions {
  /** `provider/model-id`. */
  id: string;
  provider: RemoteProvider;
  env: Gateway["env"];
  findVariable: FindVariable;
  fetch: Fetch;
  now: () => Date;
}

/** Stated, because the SDK would otherwise take them from variables of the process that gateway.yaml does not declare. */
const ANTHROPIC_URL = "https://api.anthropic.com/v1";
const OPENAI_URL = "https://api.openai.com/v1";

export function createProviderModel(options: ProviderModelOptions): Model {
  const { id, provider } = options;
  return {
    id,
    generate: async (request, signal) => {
      signal.throwIfAborted();
      let isSent = false;
      const transport = createTransport({
        model: id,
        now: options.now,
        fetch: (...request) => {
          isSent = true;
          return options.fetch(...request);
        },
      });
      const sdkModel = createSdkModel(options, transport);
      const call = toSdkCall(request, { model: id, type: provider.type });
      try {
        return fromSdkResult(await sdkModel.doGenerate({ ...call, abortSignal: signal }), request, id);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof FilteredError) return createRefusal(id);
        if (error instanceof ModelError) throw error;
        // The SDK's error holds the request and the answer, so only its name goes on.
        const details = { error: error instanceof Error ? error.name : typeof error };
        if (!isSent) throw new ModelError("invalid_request", id, `The request cannot be put into the form that ${id} takes (${details.error}).`, { details });
        throw new ModelError("malformed", id, `${id} gave an answer in a form that is not known.`, { details });
      }
    },
  };
}

function createSdkModel(options: ProviderModelOptions, fetch: typeof globalThis.fetch): SdkModel {
  const { id, provider } = options;
  const modelId = id.slice(id.indexOf("/") + 1);
  const fill = { model: id, env: options.env, findVariable: options.findVariable };
  if (provider.type === "anthropic") {
    const { api_key, base_url, headers } = fillProviderConfig(provider, fill);
    return createAnthropic({ apiKey: api_key, baseURL: base_url ?? ANTHROPIC_URL, headers, fetch }).languageModel(modelId);
  }
  if (provider.type === "openai") {
    const { api_key, base_url, headers, organization } = fillProviderConfig(provider, fill);
    // The responses interface: the only one in which reasoning models keep their reasoning between calls.
    return createOpenAI({ apiKey: api_key, baseURL: base_url ?? OPENAI_URL, headers, organization, fetch }).responses(modelId);
  }
  const { api_key, base_url, headers } = fillProviderConfig(provider, fill);
  return createOpenAICompatible({ name: "openaiCompatible", apiKey: api_key, baseURL: base_url, headers, fetch }).chatModel(modelId);
}

function createRefusal(model: string): ModelTurn {
  return { text: "", toolCalls: [], finishReason: "refused", usage: { tokensIn: 0, tokensOut: 0 }, raw: toRaw({ model, parts: [] }) };
}
