/**
 * What a turn costs. A dollar per million tokens is a millionth of a dollar per token, so prices are kept as whole
 * millionths of that and everything is added up in integers. The sum is rounded up to a millionth of a dollar: the
 * database keeps six decimals, and many small roundings must not add up to more than a budget.
 */
import type { ModelGroup, Provider } from "@/lib/config/gateway-schema";
import { estimateTokens, estimateToolUse } from "./estimate-tokens";
import { OUTPUT_TOKENS_DEFAULT } from "./limits";
import type { ModelRequest, Usage } from "./model";
import { describeOutput } from "./output-format";
import { findReasoning } from "./raw-turn";

export type Price = ModelGroup["pricing"][number];

const SCALE = 1_000_000;

/** What a provider adds around each message. */
const TOKENS_PER_MESSAGE = 8;
/** Characters of kept reasoning that is encrypted or signed, for each token that is counted for it. */
const SEALED_CHARACTERS_PER_TOKEN = 4;

/**
 * An entry that names the provider takes precedence over one that gives the bare model id. Null when the group has no
 * price for it.
 */
export function findPrice(group: Pick<ModelGroup, "pricing">, model: string): Price | null {
  const bare = model.slice(model.indexOf("/") + 1);
  return (
    group.pricing.find((price) => price.model === model) ?? group.pricing.find((price) => price.model === bare) ?? null
  );
}

/**
 * In millionths of a dollar; 0 without a price. The price list has no prices for a provider's cache, so this is an
 * upper bound: tokens read from it count in full, tokens written to it a quarter more, which is the highest surcharge
 * in use.
 */
export function costMicroUsd(
  price: Price | null,
  usage: Pick<Usage, "tokensIn" | "tokensOut" | "tokensInCacheWrite">,
): number {
  if (price === null) return 0;
  const tokensIn = usage.tokensIn + Math.ceil((usage.tokensInCacheWrite ?? 0) / 4);
  const scaled =
    BigInt(tokensIn) * scale(price.input_per_million) + BigInt(usage.tokensOut) * scale(price.output_per_million);
  return Number((scaled + BigInt(SCALE - 1)) / BigInt(SCALE));
}

/**
 * The most tokens of an answer that this amount pays for after the request itself; 0 when it pays for none, Infinity
 * when answers cost nothing.
 */
export function answerTokensWithin(price: Price | null, tokensIn: number, microUsd: number): number {
  if (price === null) return Number.POSITIVE_INFINITY;
  const left =
    BigInt(Math.max(0, Math.floor(microUsd))) * BigInt(SCALE) - BigInt(tokensIn) * scale(price.input_per_million);
  const perToken = scale(price.output_per_million);
  if (left < 0n) return 0;
  return perToken === 0n ? Number.POSITIVE_INFINITY : Number(left / perToken);
}

export function toMicroUsd(usd: number): number {
  return Math.round(usd * SCALE);
}

export function toUsd(microUsd: number): number {
  return microUsd / SCALE;
}

/**
 * At least as many tokens as the request can use at this kind of provider: for budgets, which reserve before the real
 * number is known.
 */
export function estimateUsage(
  request: ModelRequest,
  provider: Provider["type"],
): Pick<Usage, "tokensIn" | "tokensOut"> {
  const { system, messages, tools, outputSchema } = request;
  const said = messages.map((message) =>
    message.role === "assistant" ? { text: message.text, toolCalls: message.toolCalls } : message,
  );
  const output = outputSchema ? describeOutput(outputSchema) : "";
  const offered = tools.length > 0 ? estimateTokens(JSON.stringify(tools), provider) + estimateToolUse(provider) : 0;
  const reasoning = messages.flatMap((message) => (message.role === "assistant" ? findReasoning(message) : []));
  const sealed =
    reasoning.reduce((sum, part) => sum + JSON.stringify(part.metadata ?? {}).length, 0) / SEALED_CHARACTERS_PER_TOKEN;
  const texts = [system, output, JSON.stringify(said), ...reasoning.map((part) => part.text)];
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text, provider), 0);
  return {
    tokensIn: tokens + offered + Math.ceil(sealed) + messages.length * TOKENS_PER_MESSAGE,
    tokensOut: request.maxTokens ?? OUTPUT_TOKENS_DEFAULT,
  };
}

function scale(pricePerMillion: number): bigint {
  return BigInt(Math.round(pricePerMillion * SCALE));
}
