import { describe, expect, test } from "vitest";
import { diffLines, splitLines } from "./diff-lines";

const kinds = (before: string, after: string) => diffLines(before, after).map(({ kind }) => kind);

describe("two definitions side by side", () => {
  test("marks only the line that changed", () => {
    expect(kinds("a\nb\nc", "a\nB\nc")).toEqual(["same", "changed", "same"]);
  });

  test("a line that came in shifts nothing else", () => {
    expect(kinds("a\nb\nc", "a\nnew\nb\nc")).toEqual(["same", "added", "same", "same"]);
    expect(kinds("a\nb\nc", "b\nc")).toEqual(["removed", "same", "same"]);
  });

  test("points at what differs within a line, by whole words", () => {
    expect(splitLines("Closes a ticket.", "Closes every ticket.")).toEqual({
      before: { start: "Closes ", differs: "a", end: " ticket." },
      after: { start: "Closes ", differs: "every", end: " ticket." },
    });
    expect(splitLines('"hint": true,', '"hint": false,').after).toEqual({
      start: '"hint": ',
      differs: "false",
      end: ",",
    });
    expect(splitLines("a b", "a b b").after).toEqual({ start: "a b", differs: " b", end: "" });
    expect(splitLines("x😀y", "x😁y").after).toEqual({ start: "x", differs: "😁", end: "y" });
  });

  test("loses no line of either text, whatever they are", () => {
    const [before, after] = ["x\ny\n\nz\nx\nq", "y\nx\n\nx\nq\nq\nw"];
    const rows = diffLines(before, after);
    expect(rows.flatMap((row) => row.before ?? []).join("\n")).toBe(before);
    expect(rows.flatMap((row) => row.after ?? []).join("\n")).toBe(after);
  });

  test("texts of thousands of lines are compared too, and lose nothing", () => {
    const before = Array.from({ length: 3000 }, (_, line) => `line ${line}`).join("\n");
    const rows = diffLines(before, `${before}\nlast`);
    expect(rows.filter(({ kind }) => kind !== "same")).toEqual([{ kind: "added", before: null, after: "last" }]);
  });
});
