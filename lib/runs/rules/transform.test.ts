import { describe, expect, test } from "vitest";
import { applyTransform, deepMerge } from "@/lib/runs/rules/transform";

type Ops = Parameters<typeof applyTransform>[1];
const apply = (data: unknown, ops: Ops, outputs: Record<string, unknown> = {}) => applyTransform([data], ops, outputs);

describe("operations", () => {
  test("filter keeps what is true for JMESPath: 0 is, empty text is not", () => {
    expect(apply([{ a: 0 }, { a: "" }, { a: [] }, { a: 1 }], [{ filter: { expr: "a" } }])).toEqual([
      { a: 0 },
      { a: 1 },
    ]);
  });

  test("sort is by value, keeps equal ones in their order, and puts absent ones last in ascending order", () => {
    const list = [{ n: 10, id: 1 }, { n: 9, id: 2 }, { id: 3 }, { n: 9, id: 4 }];
    const ids = (order: "asc" | "desc") =>
      (apply(list, [{ sort: { field: "n", order } }]) as { id: number }[]).map(({ id }) => id);
    expect(ids("asc")).toEqual([2, 4, 1, 3]);
    expect(ids("desc").slice(-3)).toEqual([1, 2, 4]);
  });

  test("map works on each item of a list, and on anything else as a whole", () => {
    expect(apply([{ a: 1 }, {}], [{ map: { expr: "a" } }])).toEqual([1, null]);
    expect(apply({ results: [1, 2] }, [{ map: { expr: "results" } }])).toEqual([1, 2]);
  });

  test("flatten removes one level", () => {
    expect(apply([1, [2, [3]]], [{ flatten: {} }])).toEqual([1, 2, [3]]);
  });

  test("deduplicate compares values, not their spelling, and keeps the first", () => {
    expect(apply([{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 2 }], [{ deduplicate: {} }])).toEqual([
      { a: 1, b: 2 },
      { a: 2 },
    ]);
    expect(
      apply(
        [
          { a: 1, b: 1 },
          { a: 1, b: 2 },
        ],
        [{ deduplicate: { field: "a" } }],
      ),
    ).toEqual([{ a: 1, b: 1 }]);
  });

  test("merge adds the outputs of other steps, the later wins", () => {
    expect(apply({ a: 1, deep: { x: 1 } }, [{ merge: ["two"] }], { two: { a: 2, deep: { y: 2 } } })).toEqual({
      a: 2,
      deep: { x: 1, y: 2 },
    });
  });

  test("the only list in a fan-out's output is used; without a list the operation says what it got", () => {
    expect(apply({ results: [2, 1] }, [{ sort: { field: "@", order: "asc" } }])).toEqual([1, 2]);
    expect(() => apply(5, [{ flatten: {} }])).toThrow("flatten needs a list; the data is number");
  });

  test("the input is not modified", () => {
    const data = Object.freeze([Object.freeze({ n: 2 }), Object.freeze({ n: 1 })]);
    apply(data, [{ sort: { field: "n", order: "asc" } }, { deduplicate: {} }, { flatten: {} }]);
    expect(data).toEqual([{ n: 2 }, { n: 1 }]);
  });
});

describe("deep merge", () => {
  test("objects are merged, lists are concatenated, anything else is replaced by the later", () => {
    expect(
      deepMerge([
        { a: { b: [1] }, c: 1 },
        { a: { b: [2] }, c: [3] },
      ]),
    ).toEqual({ a: { b: [1, 2] }, c: [3] });
    expect(deepMerge([])).toBeNull();
  });

  test("no input reaches the prototype of objects", () => {
    const merged = deepMerge([{}, JSON.parse('{"__proto__":{"polluted":true},"constructor":{"a":1}}')]) as Record<
      string,
      unknown
    >;
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(merged.constructor).toEqual({ a: 1 });
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
