import { expect, it } from "vitest";
import { formatCursor, parseCursor } from "@/lib/approvals/queries/list-inbox";
import { listAddress, readInboxView } from "./inbox-address";

const ID = "apr_01jcrsv7yzqg9k8m3n5p7r9t1v";

it("an address leads to the same view again, and the usual order is not spelled out", () => {
  const view = readInboxView({
    danger: "high",
    workflow: "support",
    tool: "shop.create-refund",
    q: "order A-1042",
    mine: "1",
    sort: "age",
  });
  expect(view.problems).toEqual([]);
  expect(listAddress(view)).toBe(
    "/inbox?danger=high&workflow=support&tool=shop.create-refund&q=order+A-1042&mine=1&sort=age",
  );
  expect(listAddress(readInboxView({}))).toBe("/inbox");
});

it("a changed filter begins at the first page, an opened card keeps the page", () => {
  const view = readInboxView({ cursor: `${ID}.high.` });
  expect(listAddress(view, {}, "/inbox/apr_1")).toBe(`/inbox/apr_1?cursor=${ID}.high.`);
  expect(listAddress(view, { danger: "critical" })).toBe("/inbox?danger=critical");
});

it("says what it cannot read and leaves it out", () => {
  const view = readInboxView({ danger: "huge", sort: "name", cursor: "x" });
  expect(view).toMatchObject({ danger: undefined, sort: "expiry", cursor: undefined });
  expect(view.problems).toHaveLength(3);
});

it("a position in the list survives the round trip through the address", () => {
  for (const expiresAt of [null, new Date("2026-01-01T10:00:00.123Z")]) {
    expect(parseCursor(formatCursor({ id: ID, danger: "critical", expiresAt }))).toEqual({
      id: ID,
      danger: "critical",
      expiresAt,
    });
  }
  expect(parseCursor(`${ID}.huge.`)).toBeUndefined();
});
