import { expect, it } from "vitest";
import type { InboxRow } from "@/lib/approvals/queries/list-inbox";
import { holdRows } from "./hold-rows";

const [BEFORE, HELD, AFTER] = [
  "2026-03-01T10:00:00.000Z",
  "2026-03-01T10:05:00.000Z",
  "2026-03-01T10:06:00.000Z",
] as const;
const row = (id: string, approvals = 0) => ({ id, approvals, createdAt: BEFORE }) as InboxRow;
const newRow = (id: string) => ({ ...row(id), createdAt: AFTER });
const here = (each: InboxRow) => ({ row: each, isGone: false });
const gone = (each: InboxRow) => ({ row: each, isGone: true });

it("keeps every row in its place, marks those that left, and counts those that came", () => {
  const held = { rows: [row("a"), row("b"), row("c")], sunk: [row("d")], now: HELD };
  const fresh = { rows: [newRow("new"), row("c", 1), row("a"), newRow("newer")], sunk: [row("d")], now: AFTER };
  expect(holdRows(held, fresh)).toEqual({
    rows: [here(row("a")), gone(row("b")), here(row("c", 1))],
    sunk: [here(row("d"))],
    arrived: 2,
    returned: 0,
  });
});

it("what moves up from the next page is placed below, and never announced as new", () => {
  const held = { rows: [row("a"), row("b"), row("c")], sunk: [], now: HELD };
  const fresh = { rows: [row("c"), row("d"), newRow("new"), row("e")], sunk: [], now: AFTER };
  expect(holdRows(held, fresh)).toEqual({
    rows: [gone(row("a")), gone(row("b")), here(row("c")), here(row("d")), here(row("e"))],
    sunk: [],
    arrived: 1,
    returned: 0,
  });
});

it("when a whole page was decided, the next one is placed below it, and under that what was set aside", () => {
  const held = { rows: [row("a"), row("b")], sunk: [], now: HELD };
  expect(holdRows(held, { rows: [row("c")], sunk: [row("d")], now: AFTER })).toEqual({
    rows: [gone(row("a")), gone(row("b")), here(row("c"))],
    sunk: [here(row("d"))],
    arrived: 0,
    returned: 0,
  });
});

it("a call that was set aside meanwhile is neither gone nor new", () => {
  const shown = holdRows(
    { rows: [row("a"), row("b")], sunk: [], now: HELD },
    { rows: [row("b")], sunk: [row("a")], now: AFTER },
  );
  expect(shown).toEqual({ rows: [here(row("a")), here(row("b"))], sunk: [], arrived: 0, returned: 0 });
});

it("one that returns between others, or above what was set aside, is held back, and not called new", () => {
  expect(
    holdRows(
      { rows: [row("a"), row("c")], sunk: [], now: HELD },
      { rows: [row("a"), row("b"), row("c")], sunk: [], now: AFTER },
    ),
  ).toMatchObject({ rows: [here(row("a")), here(row("c"))], arrived: 0, returned: 1 });
  expect(
    holdRows(
      { rows: [row("a")], sunk: [row("z")], now: HELD },
      { rows: [row("a"), row("b")], sunk: [row("z")], now: AFTER },
    ),
  ).toMatchObject({ rows: [here(row("a"))], sunk: [here(row("z"))], arrived: 0, returned: 1 });
});

it("shows what is there as it is", () => {
  const fresh = { rows: [row("a")], sunk: [row("b")], now: HELD };
  expect(holdRows(fresh, fresh)).toEqual({ rows: [here(row("a"))], sunk: [here(row("b"))], arrived: 0, returned: 0 });
});
