/** Which model of a group is asked first, and in what order the others follow when it fails. */
import type { ModelGroup, Provider } from "@/lib/config/gateway-schema";
import type { ModelRequest } from "./model";
import { costMicroUsd, estimateUsage, findPrice } from "./price";
import { findAuthor } from "./raw-turn";

/**
 * `fallback`: as listed. `cost_optimized`: by what this request may cost, models without a price last. `round_robin`:
 * each conversation begins with the next model and then stays with the one that answered last, which holds its cache
 * and can read its reasoning. `takeTurn` gives the next number of the round.
 */
export function orderModels(
  group: ModelGroup,
  request: ModelRequest,
  { takeTurn, typeOf }: { takeTurn: () => number; typeOf: (model: string) => Provider["type"] },
): string[] {
  const { models, strategy } = group;
  if (strategy === "fallback" || models.length === 1) return [...models];
  if (strategy === "cost_optimized") return orderByCost(group, request, typeOf);
  const author = findLastAuthor(request);
  const known = author === null ? -1 : models.indexOf(author);
  const first = known >= 0 ? known : takeTurn() % models.length;
  return [...models.slice(first), ...models.slice(0, first)];
}

function orderByCost(group: ModelGroup, request: ModelRequest, typeOf: (model: string) => Provider["type"]): string[] {
  const costOf = (model: string) => {
    const price = findPrice(group, model);
    return price === null ? Number.POSITIVE_INFINITY : costMicroUsd(price, estimateUsage(request, typeOf(model)));
  };
  const costs = new Map(group.models.map((model) => [model, costOf(model)]));
  // Infinity minus itself is no number, and the sort must stay stable for models without a price.
  return [...group.models].sort((a, b) => (costs.get(a) === costs.get(b) ? 0 : costs.get(a)! - costs.get(b)!));
}

function findLastAuthor(request: ModelRequest): string | null {
  const last = request.messages.findLast((message) => message.role === "assistant");
  return last ? findAuthor(last) : null;
}
