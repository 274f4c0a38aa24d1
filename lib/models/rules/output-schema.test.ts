import { describe, expect, test } from "vitest";
import { joinOutputSchemas, withoutReserved } from "@/lib/models/rules/output-schema";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

const n = { type: "number" };
const SCHEMAS: Record<string, Record<string, unknown>> = {
  "requires one": {
    type: "object",
    required: ["n", "ktsu_confidence"],
    properties: { n, ktsu_confidence: { type: "number" } },
  },
  "forbids one": { type: "object", required: ["n"], properties: { n, ktsu_flags: false }, additionalProperties: false },
  "forbids one by `not`": {
    type: "object",
    required: ["n"],
    properties: { n },
    not: { required: ["ktsu_skip_reason"] },
  },
  "requires one in a part": { allOf: [{ required: ["n"], properties: { n } }, { required: ["ktsu_rationale"] }] },
  "requires one in each choice": {
    anyOf: [{ required: ["n", "ktsu_confidence"], properties: { n } }, { required: ["m", "ktsu_confidence"] }],
  },
  "has a choice of one only": { oneOf: [{ required: ["n"], properties: { n } }, { required: ["ktsu_skip_reason"] }] },
  "requires one behind a reference": {
    $ref: "#/$defs/answer",
    $defs: { answer: { type: "object", required: ["n", "ktsu_confidence"], properties: { n } } },
  },
  "requires one beside another": { required: ["n"], properties: { n }, dependentRequired: { n: ["ktsu_confidence"] } },
};

describe("what an answer is checked against", () => {
  test.each(Object.entries(SCHEMAS))(
    "a schema that %s accepts the answer without it, and still refuses a wrong one",
    (_name, schema) => {
      expect(checkAgainstSchema(withoutReserved(schema), { n: 1 })).toEqual({ kind: "fits" });
      expect(checkAgainstSchema(withoutReserved(schema), { n: "one" })).toMatchObject({ kind: "violation" });
      expect(checkAgainstSchema(withoutReserved(schema), {})).toMatchObject({ kind: "violation" });
    },
  );

  test("a field of that name inside the answer is a field like any other", () => {
    const schema = {
      type: "object",
      properties: { inner: { type: "object", required: ["ktsu_note"] } },
      required: ["inner", "ktsu_flags"],
    };
    expect(checkAgainstSchema(withoutReserved(schema), { inner: {} })).toMatchObject({ kind: "violation" });
    expect(checkAgainstSchema(withoutReserved(schema), { inner: { ktsu_note: 1 } })).toEqual({ kind: "fits" });
  });

  test("a schema that refers to itself does not loop forever", () => {
    const schema = {
      type: "object",
      required: ["ktsu_flags", "n"],
      properties: { n, more: { $ref: "#" } },
      allOf: [{ $ref: "#/allOf/0" }],
    };
    expect(withoutReserved(schema)).toMatchObject({ required: ["n"] });
  });

  test.each(["#/$defs/%zz", "#/$defs/%ff", "#/$defs/none"])(
    "a reference to nothing (%s) makes the schema unusable and breaks nothing else",
    ($ref) => {
      expect(checkAgainstSchema(withoutReserved({ $ref, required: ["ktsu_flags"] }), {})).toMatchObject({
        kind: "unusable",
      });
    },
  );

  test("a schema without such fields stays the same object, and every schema has one stripped form", () => {
    const plain = { type: "object" };
    expect(withoutReserved(plain)).toBe(plain);
    expect(withoutReserved(SCHEMAS["requires one"]!)).toBe(withoutReserved(SCHEMAS["requires one"]!));
  });
});

test("of an agent's schema and its step's both are given, and only one when they are equal", () => {
  const [agent, step] = [{ required: ["a"] }, { required: ["b"] }];
  expect(joinOutputSchemas([])).toBeNull();
  expect(joinOutputSchemas([agent, { required: ["a"] }])).toBe(agent);
  expect(joinOutputSchemas([agent, step])).toEqual({ allOf: [agent, step] });
});
