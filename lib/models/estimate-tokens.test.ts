import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { modelRequest } from "@/lib/testing/provider-servers/gateway-fixture";
import { estimateTokens } from "./estimate-tokens";
import { estimateUsage } from "./price";

/**
 * Counted with the tokenizers themselves: o200k_base and cl100k_base of OpenAI, the one that Anthropic has published,
 * and that of Llama 3.
 */
const COUNTED = [
  {
    name: "sentence",
    o200k: 15,
    cl100k: 15,
    claude: 15,
    llama3: 15,
    text: "Sort this mail into billing or technical, and say why in one sentence.",
  },
  {
    name: "prose",
    o200k: 67,
    cl100k: 67,
    claude: 67,
    llama3: 67,
    text: "The order was shipped on Tuesday, but the invoice address does not match the delivery address. Before you refund anything, check the customer number and the terms of payment; if they differ, ask a colleague who knows the account. Nothing is sent twice, and whatever was sent is on record with the name of the person who approved it.",
  },
  {
    name: "code",
    o200k: 89,
    cl100k: 89,
    claude: 100,
    llama3: 89,
    text: "export function listTools(server: ToolServer, { signal, ageMaxMs = 3_600_000 }: ListOptions): Promise<ToolList> {\n  const cached = lists.get(server.name);\n  if (cached !== undefined && now() - cached.at < ageMaxMs) return Promise.resolve(cached.list);\n  return fetchTools(server, signal).then((tools) => ({ hash: hashOf(tools), tools }));\n}\n",
  },
  {
    name: "json",
    o200k: 58,
    cl100k: 56,
    claude: 57,
    llama3: 56,
    text: '{"type":"object","required":["id","amount"],"properties":{"id":{"type":"string","description":"Id of the order"},"amount":{"type":"number","minimum":0,"maximum":500},"notify":{"type":"boolean","default":false}},"additionalProperties":false}',
  },
  {
    name: "rows",
    o200k: 183,
    cl100k: 183,
    claude: 194,
    llama3: 183,
    text: '[{"id":1000,"email":"user0@example.com","total":"0.00","at":"2023-11-14T22:13:20.000Z"},{"id":1037,"email":"user1@example.com","total":"13.37","at":"2023-11-15T01:00:00.000Z"},{"id":1074,"email":"user2@example.com","total":"26.74","at":"2023-11-15T03:46:40.000Z"},{"id":1111,"email":"user3@example.com","total":"40.11","at":"2023-11-15T06:33:20.000Z"},{"id":1148,"email":"user4@example.com","total":"53.48","at":"2023-11-15T09:20:00.000Z"}]',
  },
  {
    name: "yaml",
    o200k: 45,
    cl100k: 47,
    claude: 49,
    llama3: 47,
    text: "name: triage\nmodel: standard\nprompt:\n  system: |\n    You sort mail.\nservers:\n  - name: crm\n    access: { allowlist: [customer-lookup, crm-read-*] }\n",
  },
  {
    name: "table",
    o200k: 68,
    cl100k: 68,
    claude: 72,
    llama3: 68,
    text: "| name | type | required |\n|---|---|---|\n| `id` | text | yes |\n| `id` | text | yes |\n| `id` | text | yes |\n| `id` | text | yes |\n| `id` | text | yes |\n| `id` | text | yes |\n",
  },
  {
    name: "address",
    o200k: 26,
    cl100k: 26,
    claude: 30,
    llama3: 26,
    text: "https://example.com/a/b/c?x=1&y=two%20words&token=abc123XYZ#frag",
  },
  {
    name: "hex",
    o200k: 43,
    cl100k: 43,
    claude: 44,
    llama3: 43,
    text: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  },
  {
    name: "base64",
    o200k: 56,
    cl100k: 63,
    claude: 57,
    llama3: 63,
    text: "c2VjcmV0OiB0aGlzIGlzIG5vdCBhIHJlYWwga2V5LCBqdXN0IGJ5dGVzIGZvciBhIHRlc3QgOTg3NjU0MzIx",
  },
  { name: "uuid", o200k: 32, cl100k: 32, claude: 33, llama3: 32, text: "3f2b8c1e-9d47-4a60-b1f5-7c0e2d9a8b34" },
  {
    name: "digits",
    o200k: 22,
    cl100k: 22,
    claude: 19,
    llama3: 22,
    text: "864197523 987654312 1111111101 1234567890 1358024679",
  },
  {
    name: "capitals",
    o200k: 24,
    cl100k: 25,
    claude: 28,
    llama3: 25,
    text: "THE ORDER WAS SHIPPED ON TUESDAY BUT THE INVOICE ADDRESS IS WRONG. PLEASE CHECK THE CUSTOMER NUMBER.",
  },
  { name: "consonants", o200k: 17, cl100k: 18, claude: 18, llama3: 18, text: "qwzxkvjp bcdfghjk lmnprstv wxzqkjhg" },
  { name: "symbols", o200k: 20, cl100k: 20, claude: 19, llama3: 20, text: "!@#$%^&*()_+-=[]{}|;':\",./<>?`~" },
  {
    name: "german",
    o200k: 31,
    cl100k: 37,
    claude: 44,
    llama3: 37,
    text: "Die Bestellung wurde am Dienstag verschickt, aber die Rechnungsadresse stimmt nicht mit der Lieferadresse überein. Bitte prüfen Sie die Kundennummer.",
  },
  {
    name: "french",
    o200k: 24,
    cl100k: 29,
    claude: 32,
    llama3: 29,
    text: "La commande a été expédiée mardi, mais l'adresse de facturation ne correspond pas à l'adresse de livraison.",
  },
  {
    name: "russian",
    o200k: 25,
    cl100k: 37,
    claude: 46,
    llama3: 30,
    text: "Заказ был отправлен во вторник, но адрес для выставления счёта не совпадает с адресом доставки.",
  },
  {
    name: "arabic",
    o200k: 21,
    cl100k: 50,
    claude: 66,
    llama3: 24,
    text: "تم شحن الطلب يوم الثلاثاء، لكن عنوان الفاتورة لا يتطابق مع عنوان التسليم.",
  },
  {
    name: "hindi",
    o200k: 27,
    cl100k: 81,
    claude: 87,
    llama3: 47,
    text: "ऑर्डर मंगलवार को भेजा गया था, लेकिन बिलिंग का पता डिलीवरी के पते से मेल नहीं खाता।",
  },
  {
    name: "japanese",
    o200k: 23,
    cl100k: 39,
    claude: 35,
    llama3: 30,
    text: "注文は火曜日に発送されましたが、請求先住所が配送先住所と一致しません。",
  },
  {
    name: "chinese",
    o200k: 27,
    cl100k: 35,
    claude: 38,
    llama3: 28,
    text: "订单已于星期二发货，但账单地址与送货地址不符。在办理退款之前，请核对客户编号。",
  },
  {
    name: "korean",
    o200k: 25,
    cl100k: 36,
    claude: 41,
    llama3: 27,
    text: "주문은 화요일에 발송되었지만 청구지 주소가 배송지 주소와 일치하지 않습니다.",
  },
  { name: "emoji", o200k: 30, cl100k: 51, claude: 44, llama3: 48, text: "😀🎉👍🏽👩‍👩‍👧‍👦🇩🇪🚀✨🔥💯🙏🏿" },
];

describe.each(COUNTED)(verifies("engine:budget:estimate", "$name"), ({ text, o200k, cl100k, claude, llama3 }) => {
  test("is not less than OpenAI counts", () => {
    expect(estimateTokens(text, "openai")).toBeGreaterThanOrEqual(Math.max(o200k, cl100k));
  });

  test("is above the published count of Anthropic, whose newer tokenizers split text more finely", () => {
    expect(estimateTokens(text, "anthropic")).toBeGreaterThanOrEqual(Math.ceil(claude * 1.15));
  });

  test("is not less than an open model counts", () => {
    expect(estimateTokens(text, "openai-compatible")).toBeGreaterThanOrEqual(llama3);
  });
});

const usual = COUNTED.filter(({ name }) => ["sentence", "prose", "code", "yaml", "json"].includes(name));

test.each(usual)(
  verifies("engine:budget:estimate", "$name reserves at most half more than OpenAI counts"),
  ({ text, o200k }) => {
    expect(estimateTokens(text, "openai")).toBeLessThanOrEqual(Math.ceil(o200k * 1.5));
  },
);

test("a one-sentence request reserves tens of tokens, not hundreds", () => {
  const request = modelRequest({
    system: "You sort mail.",
    messages: [{ role: "user", text: "Sort this: invoice 7 is not paid." }],
  });
  for (const type of ["openai", "openai-compatible", "anthropic"] as const)
    expect(estimateUsage(request, type).tokensIn).toBeLessThan(80);
});

test("more text is never fewer tokens, and every text can be estimated", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (before, after) => {
      const joined = estimateTokens(`${before}\n${after}`, "openai");
      expect(joined).toBeGreaterThanOrEqual(
        Math.max(estimateTokens(before, "openai"), estimateTokens(after, "openai")) - 1,
      );
    }),
  );
});
