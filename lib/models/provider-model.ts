/**
 * A model behind a provider's HTTP interface: one request for one turn, and a second one only where the first was
 * refused because of its output format. Retries are the gateway's, so the SDK's model is called directly and never
 * through the functions that repeat a request by themselves.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Gateway } from "@/lib/config/gateway-schema";
import { fromSdkResult } from "./from-sdk-result";
import { type JsonObject, type Model, ModelError, type ModelRequest, type ModelTurn } from "./model";
import { hasStructuredOutput, toStructuredSchema } from "./output-format";
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

/**
 * Stated, because the SDK would otherwise take them from variables of the process that gateway.yaml does not declare.
 */
const ANTHROPIC_URL = "https://api.anthropic.com/v1";
const OPENAI_URL = "https://api.openai.com/v1";

export function createProviderModel(options: ProviderModelOptions): Model {
  const { id, provider } = options;
  return {
    id,
    generate: async (request, signal) => {
      const structured =
        request.outputSchema && hasStructuredOutput({ model: id, type: provider.type })
          ? toStructuredSchema(request.outputSchema)
          : null;
      if (structured === null || !request.outputSchema) return ask(options, { request, structured: null }, signal);
      const refusing = unstructured.get(request.outputSchema) ?? new Set();
      try {
        if (!refusing.has(id)) return await ask(options, { request, structured }, signal);
      } catch (error) {
        if (!(error instanceof ModelError) || error.kind !== "invalid_request") throw error;
      }
      // The first request was refused before it was processed, so nothing is paid for twice; the second shows whether
      // the schema was the cause.
      const turn = await ask(options, { request, structured: null }, signal);
      unstructured.set(request.outputSchema, refusing.add(id));
      return { ...turn, ignoredSettings: [...(turn.ignoredSettings ?? []), "structured output"] };
    },
  };
}

/** By schema: the models that refused it as structured output, so that they are not asked that way on every turn. */
const unstructured = new WeakMap<JsonObject, Set<string>>();

async function ask(
  options: ProviderModelOptions,
  { request, structured }: { request: ModelRequest; structured: JsonObject | null },
  signal: AbortSignal,
): Promise<ModelTurn> {
  const { id, provider } = options;
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
  const call = toSdkCall(request, { model: id, type: provider.type }, structured);
  try {
    return fromSdkResult(await sdkModel.doGenerate({ ...call, abortSignal: signal }), request, id);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof FilteredError) return createRefusal(id);
    if (error instanceof ModelError) throw error;
    // The SDK's error holds the request and the answer, so only its name is kept.
    const details = { error: error instanceof Error ? error.name : typeof error };
    if (!isSent)
      throw new ModelError(
        { kind: "invalid_request", model: id },
        `The request cannot be put into the form that ${id} takes (${details.error}).`,
        { details },
      );
    throw new ModelError({ kind: "malformed", model: id }, `${id} gave an answer in a form that is not known.`, {
      details,
    });
  }
}

function createSdkModel(options: ProviderModelOptions, fetch: typeof globalThis.fetch): SdkModel {
  const { id, provider } = options;
  const modelId = id.slice(id.indexOf("/") + 1);
  const fill = { model: id, env: options.env, findVariable: options.findVariable };
  if (provider.type === "anthropic") {
    const { api_key, base_url, headers } = fillProviderConfig(provider, fill);
    return createAnthropic({ apiKey: api_key, baseURL: base_url ?? ANTHROPIC_URL, headers, fetch }).languageModel(
      modelId,
    );
  }
  if (provider.type === "openai") {
    const { api_key, base_url, headers, organization } = fillProviderConfig(provider, fill);
    // The responses API is the only one in which reasoning models keep their reasoning between calls.
    return createOpenAI({ apiKey: api_key, baseURL: base_url ?? OPENAI_URL, headers, organization, fetch }).responses(
      modelId,
    );
  }
  const { api_key, base_url, headers } = fillProviderConfig(provider, fill);
  return createOpenAICompatible({
    name: "openaiCompatible",
    apiKey: api_key,
    baseURL: base_url,
    headers,
    fetch,
  }).chatModel(modelId);
}

function createRefusal(model: string): ModelTurn {
  return {
    text: "",
    toolCalls: [],
    finishReason: "refused",
    usage: { tokensIn: 0, tokensOut: 0 },
    raw: toRaw({ model, parts: [] }),
  };
}
