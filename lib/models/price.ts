/**
 * What a turn costs. A dollar per million tokens is a millionth of a dollar per token, so prices are kept as whole
 * millionths of that and everything is added up in integers. The sum is rounded up to a millionth of a dollar: the
 * database keeps six decimals, and a budget must not be passed by many small roundings.
 */
import type { ModelGroup } from "@/lib/config/gateway-schema";
import { OUTPUT_TOKENS_DEFAULT } from "./limits";
import type { ModelRequest, Usage } from "./model";

export type Price = ModelGroup["pricing"][number];

const SCALE = 1_000_000;

/** English has about four bytes to a token, code and Japanese between two and three; only runs of odd symbols have fewer. */
const BYTES_PER_TOKEN_MIN = 2;
const TOKENS_PER_MESSAGE = 16;
/** A provider's own instructions for tool use, added once when tools are offered. */
const TOKENS_FOR_TOOL_USE = 700;

/** An entry that names the provider wins over one that gives the bare model id. Null when the group has no price for it. */
export function findPrice(group: Pick<ModelGroup, "pricing">, model: string): Price | null {
  const bare = model.slice(model.indexOf("/") + 1);
  return group.pricing.find((price) => price.model === model) ?? group.pricing.find((price) => price.model === bare) ?? null;
}

/**
 * In millionths of a dollar; 0 without a price. The price list has no prices for a provider's cache, so this is an upper
 * bound: tokens read from it count in full, tokens written to it a quarter more, which is the highest surcharge in use.
 */
export function costMicroUsd(price: Price | null, usage: Pick<Usage, "tokensIn" | "tokensOut" | "tokensInCacheWrite">): number {
  if (price === null) return 0;
  const tokensIn = usage.tokensIn + Math.ceil((usage.tokensInCacheWrite ?? 0) / 4);
  const scaled = BigInt(tokensIn) * scale(price.input_per_million) + BigInt(usage.tokensOut) * scale(price.output_per_million);
  return Number((scaled + BigInt(SCALE - 1)) / BigInt(SCALE));
}

/** The longest answer that so much money pays for after the request itself; 0 when there is none, without end when answers cost nothing. */
export function answerTokensWithin(price: Price | null, tokensIn: number, microUsd: number): number {
  if (price === null) return Number.POSITIVE_INFINITY;
  const left = BigInt(Math.max(0, Math.floor(microUsd))) * BigInt(SCALE) - BigInt(tokensIn) * scale(price.input_per_million);
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

/** At least as many tokens as the request can use: for budgets, which reserve before they know. */
export function estimateUsage(request: ModelRequest): Pick<Usage, "tokensIn" | "tokensOut"> {
  const text = request.system + JSON.stringify(request.messages) + JSON.stringify(request.tools);
  const overhead = request.messages.length * TOKENS_PER_MESSAGE + (request.tools.length > 0 ? TOKENS_FOR_TOOL_USE : 0);
  return {
    tokensIn: Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN_MIN) + overhead,
    tokensOut: request.maxTokens ?? OUTPUT_TOKENS_DEFAULT,
  };
}

function scale(pricePerMillion: number): bigint {
  return BigInt(Math.round(pricePerMillion * SCALE));
}
