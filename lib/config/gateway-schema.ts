import { z } from "zod";
import { durationSchema } from "./duration";
import { envEntrySchema, nameSchema } from "./field-schemas";

const providerName = nameSchema("a provider").describe("Name of the provider, the part before `/` in `models`");

const connectionFields = {
  base_url: z.string().min(1).optional().describe("Address of the provider's API; `{{ env.NAME }}` is allowed"),
  headers: z.record(z.string(), z.string()).optional().describe("Further headers; `{{ env.NAME }}` is allowed"),
  timeout: durationSchema({ minMs: 1_000, maxMs: 3_600_000 })
    .optional()
    .describe("Longest time of one model call, such as `60s`"),
  max_retries: z
    .number()
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe("Tries after the first when the provider fails for a moment"),
};

const apiKey = z.string().min(1).describe("`{{ env.NAME }}` of a variable marked secret");

export const providerSchema = z
  .discriminatedUnion("type", [
    z.strictObject({
      name: providerName,
      type: z.literal("anthropic").describe("Anthropic"),
      config: z.strictObject({ api_key: apiKey, ...connectionFields }).describe("How to reach the provider"),
    }),
    z.strictObject({
      name: providerName,
      type: z.literal("openai").describe("OpenAI"),
      config: z
        .strictObject({
          api_key: apiKey,
          organization: z.string().optional().describe("Organization to bill"),
          ...connectionFields,
        })
        .describe("How to reach the provider"),
    }),
    z.strictObject({
      name: providerName,
      type: z
        .literal("openai-compatible")
        .describe("Any server that speaks OpenAI's protocol: Ollama, vLLM and others"),
      config: z
        .strictObject({
          ...connectionFields,
          base_url: z
            .string()
            .min(1)
            .describe("Address of the API, such as `http://localhost:11434/v1`; `{{ env.NAME }}` is allowed"),
          api_key: apiKey.optional(),
        })
        .describe("How to reach the provider"),
    }),
    z.strictObject({
      name: providerName,
      type: z.literal("scripted").describe("Plays turns from a file and needs no key"),
      config: z
        .strictObject({ script: z.string().min(1).describe("File with the turns, relative to the project folder") })
        .describe("What to play"),
    }),
  ])
  .describe("An LLM provider");

const pricingSchema = z
  .strictObject({
    model: z.string().min(1).describe("Model id, with or without `provider/`"),
    input_per_million: z.number().min(0).describe("US dollars per million input tokens"),
    output_per_million: z.number().min(0).describe("US dollars per million output tokens"),
  })
  .describe("Price of one model");

const modelGroupSchema = z
  .strictObject({
    name: nameSchema("a model group").describe("Name that agents use in `model`"),
    models: z
      .array(z.string().regex(/^[^/\s]+\/\S+$/, 'expected provider/model-id, such as "anthropic/claude-haiku"'))
      .min(1, "a model group needs at least one model")
      .describe("`provider/model-id`, in order of preference"),
    strategy: z
      .enum(["round_robin", "cost_optimized", "fallback"])
      .default("round_robin")
      .describe("Which model is asked first; the next one is tried when it fails"),
    default_temperature: z.number().min(0).max(2).optional().describe("Temperature when the step sets none"),
    pricing: z.array(pricingSchema).default([]).describe("Prices for budgets and reports"),
  })
  .describe("Models that agents use under one name");

export const gatewaySchema = z
  .strictObject({
    env: z
      .array(envEntrySchema)
      .default([])
      .describe("Variables that providers use; every `{{ env.NAME }}` must be declared here"),
    providers: z.array(providerSchema).min(1, "the gateway needs at least one provider").describe("LLM providers"),
    model_groups: z
      .array(modelGroupSchema)
      .min(1, "the gateway needs at least one model group")
      .describe("Model groups that agents refer to"),
  })
  .describe("LLM providers and model groups");

export type Gateway = z.infer<typeof gatewaySchema>;
export type Provider = z.infer<typeof providerSchema>;
export type ModelGroup = z.infer<typeof modelGroupSchema>;
