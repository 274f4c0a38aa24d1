import { expect, it } from "vitest";
import type { InboxRow } from "@/lib/store/queries/list-inbox";
import { holdRows } from "./hold-rows";

const row = (id: string, approvals = 0) => ({ id, approvals }) as InboxRow;

it("keeps every row in its place, marks those that left, and counts those that came", () => {
  const held = { rows: [row("a"), row("b"), row("c")], sunk: [row("d")] };
  const fresh = { rows: [row("new"), row("c", 1), row("a"), row("newer")], sunk: [row("d")] };
  expect(holdRows(held, fresh)).toEqual({
    rows: [{ row: row("a"), isGone: false }, { row: row("b"), isGone: true }, { row: row("c", 1), isGone: false }],
    sunk: [{ row: row("d"), isGone: false }],
    arrived: 2,
  });
});

it("a call that was set aside meanwhile is neither gone nor new", () => {
  const shown = holdRows({ rows: [row("a"), row("b")], sunk: [] }, { rows: [row("b")], sunk: [row("a")] });
  expect(shown).toEqual({ rows: [{ row: row("a"), isGone: false }, { row: row("b"), isGone: false }], sunk: [], arrived: 0 });
});

it("shows what is there as it is", () => {
  const fresh = { rows: [row("a")], sunk: [row("b")] };
  expect(holdRows(fresh, fresh)).toEqual({ rows: [{ row: row("a"), isGone: false }], sunk: [{ row: row("b"), isGone: false }], arrived: 0 });
});
