import fc from "fast-check";
import { expect, test } from "vitest";
import { modelRequest } from "@/lib/testing/provider-servers/gateway-fixture";
import { OUTPUT_TOKENS_DEFAULT } from "./limits";
import { answerTokensWithin, costMicroUsd, estimateUsage, findPrice, toUsd } from "./price";

const price = (input_per_million: number, output_per_million: number, model = "m") => ({
  model,
  input_per_million,
  output_per_million,
});

test("prices that binary fractions cannot hold are added up exactly", () => {
  // As floats, 100 × 0.07 is 7.000000000000001, which would round up to one millionth too many.
  expect(costMicroUsd(price(0.07, 0.2), { tokensIn: 100, tokensOut: 0 })).toBe(7);
  expect(costMicroUsd(price(0.15, 0.6), { tokensIn: 1_000_000, tokensOut: 1_000_000 })).toBe(750_000);
  expect(toUsd(750_000)).toBe(0.75);
});

test("a part of a millionth counts as a whole one, and nothing costs nothing", () => {
  expect(costMicroUsd(price(0.1, 0.1), { tokensIn: 1, tokensOut: 0 })).toBe(1);
  expect(costMicroUsd(price(3, 15), { tokensIn: 0, tokensOut: 0 })).toBe(0);
  expect(costMicroUsd(null, { tokensIn: 5, tokensOut: 5 })).toBe(0);
});

test("tokens written to the provider's cache cost a quarter more", () => {
  expect(costMicroUsd(price(4, 0), { tokensIn: 1_000, tokensOut: 0, tokensInCacheWrite: 400 })).toBe(4_400);
});

test("the cost of a sum is never above the sum of the costs", () => {
  const tokens = fc.nat({ max: 10_000_000 });
  fc.assert(
    fc.property(fc.nat({ max: 1e9 }), tokens, tokens, (millionths, a, b) => {
      const priced = price(millionths / 1e6, 0);
      const cost = (tokensIn: number) => costMicroUsd(priced, { tokensIn, tokensOut: 0 });
      expect(cost(a + b)).toBeLessThanOrEqual(cost(a) + cost(b));
      expect(cost(a) + cost(b) - cost(a + b)).toBeLessThanOrEqual(1);
    }),
  );
});

test("an entry that names the provider takes precedence over the bare model id", () => {
  const pricing = [price(1, 1, "m/x"), price(2, 2, "p/m/x")];
  expect(findPrice({ pricing }, "p/m/x")).toBe(pricing[1]);
  expect(findPrice({ pricing }, "q/m/x")).toBe(pricing[0]);
  expect(findPrice({ pricing }, "q/y")).toBeNull();
});

test.each(["anthropic", "openai", "openai-compatible"] as const)(
  "the estimate for %s covers text, tools and the longest answer, in every script",
  (type) => {
    const long = "申し訳ございません。".repeat(100);
    const small = estimateUsage(modelRequest(), type);
    const large = estimateUsage(
      modelRequest({
        messages: [{ role: "user", text: long }],
        tools: [{ name: "t", description: "d", inputSchema: { type: "object" } }],
        maxTokens: null,
      }),
      type,
    );
    // A thousand characters of Japanese are at most about 1,500 tokens, at OpenAI 1,100.
    expect(large.tokensIn - small.tokensIn).toBeGreaterThan(type === "openai" ? 1_200 : 1_450);
    expect([small.tokensOut, large.tokensOut]).toEqual([256, OUTPUT_TOKENS_DEFAULT]);
  },
);

test("the estimate includes the schema of the answer and the reasoning of earlier turns", () => {
  const plain = estimateUsage(modelRequest(), "anthropic").tokensIn;
  const outputSchema = { type: "object", properties: { n: { type: "number" } } };
  expect(estimateUsage(modelRequest({ outputSchema }), "anthropic").tokensIn).toBeGreaterThan(plain + 100);
  const raw = {
    model: "m",
    parts: [
      { type: "reasoning", text: "Let me think about it. ".repeat(50) },
      { type: "text", text: "x" },
    ],
  };
  const thought = modelRequest({
    messages: [
      { role: "user", text: "Go." },
      { role: "assistant", text: "x", toolCalls: [], raw },
    ],
  });
  expect(estimateUsage(thought, "anthropic").tokensIn).toBeGreaterThan(plain + 300);
});

test("the longest answer within an amount costs no more than it, and one token more would", () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 1e8 }),
      fc.integer({ min: 1, max: 1e8 }),
      fc.nat({ max: 100_000 }),
      fc.nat({ max: 10_000_000 }),
      (input, output, tokensIn, micro) => {
        const priced = price(input / 1e6, output / 1e6);
        const tokensOut = answerTokensWithin(priced, tokensIn, micro);
        if (tokensOut > 0) expect(costMicroUsd(priced, { tokensIn, tokensOut })).toBeLessThanOrEqual(micro);
        expect(costMicroUsd(priced, { tokensIn, tokensOut: tokensOut + 1 })).toBeGreaterThan(micro);
      },
    ),
  );
});

test("an answer that costs nothing can be of any length, and none fits where the request is too expensive", () => {
  expect(answerTokensWithin(null, 10, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(answerTokensWithin(price(1, 0), 10, 10)).toBe(Number.POSITIVE_INFINITY);
  expect(answerTokensWithin(price(1, 0), 10, 9)).toBe(0);
});
