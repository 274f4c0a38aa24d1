import { describe, expect, test } from "vitest";
import { layoutPipeline } from "./layout-pipeline";

const node = (id: string, ...dependsOn: string[]) => ({ id, dependsOn });

describe("the map of a pipeline", () => {
  test("puts every step in a column after all that it waits for", () => {
    const placed = layoutPipeline([node("c", "a", "b"), node("a"), node("b", "a"), node("d", "a")]);
    expect(Object.fromEntries([...placed].map(([id, { column }]) => [id, column]))).toEqual({ a: 0, b: 1, d: 1, c: 2 });
  });

  test("gives no two steps the same place", () => {
    const nodes = Array.from({ length: 40 }, (_, index) =>
      node(`s${index}`, ...(index > 5 ? [`s${index % 6}`, `s${index - 6}`] : [])),
    );
    const places = [...layoutPipeline(nodes).values()].map(({ column, row }) => `${column}/${row}`);
    expect(new Set(places).size).toBe(40);
  });

  test("keeps a step beside those it comes from, so that lines do not cross needlessly", () => {
    const placed = layoutPipeline([node("a"), node("b"), node("y", "b"), node("x", "a")]);
    expect([placed.get("x")?.row, placed.get("y")?.row]).toEqual([0, 1]);
  });

  test("ignores missing steps and cycles", () => {
    expect(layoutPipeline([node("a", "gone"), node("b", "c"), node("c", "b")]).size).toBe(3);
  });
});
