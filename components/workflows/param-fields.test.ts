import { describe, expect, test } from "vitest";
import { controlName, readParams, toParamFields } from "./param-fields";

const SCHEMA = {
  type: "object",
  required: ["ticket", "count", "key", "mode"],
  properties: {
    ticket: { type: "string", title: "Ticket", pattern: "^T-[0-9]+$", default: "T-310", examples: ["T-310", 7] },
    count: { type: "integer", minimum: 1 },
    dry: { type: "boolean" },
    mode: { enum: ["fast", 2, null] },
    tags: { type: "array", items: { type: "string" }, default: ["a", "b"] },
    extra: { type: "object" },
    note: { type: "string", maxLength: 5000 },
    key: { type: "string", secret: true, default: "do-not-show" },
    day: { type: "string", format: "date" },
    at: { type: "string", format: "date-time" },
    share: { type: "number", exclusiveMinimum: 0 },
    code: { type: "string", pattern: "^[A-Z]+$" },
  },
} as const;

const fields = toParamFields(SCHEMA);
const field = (name: string) => fields.find((candidate) => candidate.name === name)!;
const read = (typed: Record<string, string>) => readParams(fields, (control) => typed[control]);
const FULL = { "param:count": "3", "param:mode": '"fast"', "password:key": "sk_live_1" };

describe("the form that starts a workflow", () => {
  test("has one field for each param, of the kind that its type asks for", () => {
    expect(Object.fromEntries(fields.map(({ name, kind }) => [name, kind]))).toEqual({
      ticket: "text",
      count: "integer",
      dry: "boolean",
      mode: "choice",
      tags: "lines",
      extra: "json",
      note: "long",
      key: "secret",
      day: "text",
      at: "text",
      share: "number",
      code: "text",
    });
    expect(field("day").inputType).toBe("date");
  });

  test("begins with the defaults, and asks for nothing that has one", () => {
    expect(field("ticket")).toMatchObject({ label: "Ticket", initial: "T-310", required: false, examples: ["T-310"] });
    expect(field("tags").initial).toBe("a\nb");
    expect(field("count").required).toBe(true);
  });

  test("says what is valid before anything is typed, by an example where there is one", () => {
    const hints = Object.fromEntries(["ticket", "at", "share", "code"].map((name) => [name, field(name).hint]));
    expect(hints).toEqual({
      ticket: "Such as T-310.",
      at: "A time with its zone, such as 2026-01-31T09:30:00Z.",
      share: "More than 0.",
      code: "Must match ^[A-Z]+$.",
    });
  });

  test("never holds the value of a secret, and names its control so that a refused form does not send it back", () => {
    expect(JSON.stringify(fields)).not.toContain("do-not-show");
    expect(controlName(field("key"))).toMatch(/^password/);
  });

  test("keeps types: numbers, lists, JSON and the values of an enum", () => {
    const { params, issues } = read({
      ...FULL,
      "param:dry": "false",
      "param:tags": " x \n\ny",
      "param:extra": '{"a":[1]}',
      "param:mode": "2",
    });
    expect(issues).toEqual([]);
    expect(params).toEqual({ count: 3, dry: false, tags: ["x", "y"], extra: { a: [1] }, mode: 2, key: "sk_live_1" });
  });

  test("leaves out what is empty and need not be filled", () => {
    expect(read({ ...FULL, "param:note": "  ", "param:extra": "" }).params).toEqual({
      count: 3,
      mode: "fast",
      key: "sk_live_1",
    });
  });

  test("names everything that is missing or cannot be read, each at its field", () => {
    const { issues } = read({ "param:count": "many", "param:extra": "{" });
    expect(issues.map(({ path }) => path)).toEqual(["count", "mode", "extra"]);
    expect(issues[0]?.message).toContain("not a whole number");
    expect(issues[2]?.message).toContain("not JSON");
  });
});

test("a workflow without params has a form without fields", () => {
  expect(toParamFields(undefined)).toEqual([]);
});
