import { expect, it } from "vitest";
import { listEditFields, readForm, toDraft } from "./edit-fields";

const schema = {
  required: ["order_id", "amount"],
  properties: {
    order_id: { type: "string" },
    amount: { type: "number" },
    count: { type: "integer" },
    currency: { enum: ["EUR", "USD"] },
    urgent: { type: "boolean" },
    tags: { type: "array" },
    note: { type: ["string", "null"] },
    api_key: { type: "string" },
  },
};
const args = {
  order_id: "A-1",
  amount: 89.9,
  count: 3,
  currency: "EUR",
  urgent: false,
  tags: ["a"],
  note: null,
  api_key: { $redacted: { kind: "string", length: 4, fingerprint: "f" } },
};
const fields = listEditFields(schema, args);
const proposed = Object.fromEntries(fields.map((field) => [field.name, toDraft(field)]));
const withText = (name: string, text: string) => readForm(fields, { ...proposed, [name]: { text, isSent: true } });

it("a form that nobody touched changes nothing", () => {
  expect(readForm(fields, proposed)).toEqual({ edits: [], problems: {} });
});

it.each([
  ["order_id", "007", "007"],
  ["order_id", "true", "true"],
  ["amount", "12.50", 12.5],
  ["count", "4", 4],
  ["urgent", "true", true],
  ["currency", '"USD"', "USD"],
  ["tags", '["a", "b"]', ["a", "b"]],
  ["note", '"text"', "text"],
])("%s given as %s keeps the type of the schema", (name, text, value) => {
  expect(withText(name, text).edits).toMatchObject([{ name, value }]);
});

it.each([
  ["amount", "1,5"],
  ["amount", ""],
  ["amount", "0x10"],
  ["amount", "Infinity"],
  ["count", "4.5"],
  ["tags", "[a]"],
])("%s given as %s is refused at its field", (name, text) => {
  const { edits, problems } = withText(name, text);
  expect(edits).toEqual([]);
  expect(Object.keys(problems)).toEqual([name]);
});

it("a list of texts is written one per line, and as JSON where lines would be ambiguous", () => {
  const list = { properties: { to: { type: "array", items: { type: "string" } } } };
  const [field] = listEditFields(list, { to: ["a@x.test", " b "] });
  expect(toDraft(field!)).toEqual({ text: "a@x.test\n b ", isSent: true });
  expect(readForm([field!], { to: toDraft(field!) }).edits).toEqual([]);
  expect(readForm([field!], { to: { text: "a@x.test\n\nc\n", isSent: true } }).edits).toEqual([
    { name: "to", value: ["a@x.test", "c"] },
  ]);
  for (const to of [[""], ["a\nb"], [1]]) expect(listEditFields(list, { to })[0]?.kind).toBe("json");
});

it("a hidden value is never part of what is sent", () => {
  expect(fields.find((field) => field.name === "api_key")?.kind).toBe("hidden");
  expect(withText("api_key", "guess").edits).toEqual([]);
});

it("an argument can be left out and one that was not given can be added", () => {
  const added = listEditFields(schema, { order_id: "A-1", amount: 1 });
  const drafts = Object.fromEntries(added.map((field) => [field.name, toDraft(field)]));
  expect(readForm(added, drafts).edits).toEqual([]);
  expect(
    readForm(added, { ...drafts, urgent: { text: "true", isSent: true }, order_id: { text: "A-1", isSent: false } })
      .edits,
  ).toEqual([
    { name: "order_id", remove: true },
    { name: "urgent", value: true },
  ]);
});

it("without a schema the arguments themselves make the form", () => {
  expect(listEditFields(null, { b: "x", a: 1 }).map(({ name, kind }) => [name, kind])).toEqual([
    ["a", "integer"],
    ["b", "text"],
  ]);
});
