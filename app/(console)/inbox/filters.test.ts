import { expect, it } from "vitest";
import type { InboxCounts } from "@/lib/approvals/queries/inbox-counts";
import { describeCount, toFilters } from "./filters";
import { readInboxView } from "./inbox-address";

const COUNTS: InboxCounts = {
  all: 9,
  mine: 5,
  critical: 2,
  high: 3,
  aside: 1,
  workflows: ["refunds"],
  agents: ["clerk"],
  tools: ["shop.refund"],
  dangers: { critical: 2, high: 3, medium: 4 },
};
const numbers = (params: Record<string, string>) =>
  Object.fromEntries(toFilters(readInboxView(params), COUNTS).chips.map(({ label, count }) => [label, count]));

it("gives a chip a number only where pressing it shows that many", () => {
  expect(numbers({})).toEqual({ All: "9", Mine: "5", Critical: "2", High: "3", Medium: "4" });
  expect(numbers({ sort: "age" })).toEqual(numbers({}));
  expect(numbers({ workflow: "refunds" })).toEqual({ All: "9", Mine: null, Critical: null, High: null, Medium: null });
  expect(numbers({ tool: "shop.refund" })).toEqual(numbers({ workflow: "refunds" }));
  expect(numbers({ q: "order" })).toEqual(numbers({ workflow: "refunds" }));
  expect(numbers({ mine: "1" })).toEqual({ All: "9", Mine: "5", Critical: null, High: null, Medium: null });
  expect(numbers({ danger: "high" })).toEqual({ All: "9", Mine: null, Critical: "2", High: "3", Medium: "4" });
});

it("says how many match the filters where no chip does", () => {
  const words = (params: Record<string, string | undefined>, nextCursor: string | null = null) =>
    describeCount(readInboxView(params), COUNTS, { items: [1, 2], nextCursor });
  for (const params of [{}, { danger: "high" }, { mine: "1" }, { aside: "1" }]) expect(words(params)).toBe("9");
  for (const params of [
    { workflow: "refunds" },
    { q: "order" },
    { danger: "high", mine: "1" },
    { danger: "high", tool: "shop.refund" },
  ])
    expect(words(params)).toBe("2 of 9");
  expect(words({ q: "order" }, "more")).toBe("2+ of 9");
});

it("says when the list of names is incomplete", () => {
  const words = (all: number) =>
    toFilters(readInboxView({}), { ...COUNTS, all }).selects.map(({ choices }) => choices[0]?.label);
  expect(words(999)).toEqual(["Workflows", "Agents", "Tools"]);
  expect(words(1000)).toEqual([
    "Workflows of the newest 1,000",
    "Agents of the newest 1,000",
    "Tools of the newest 1,000",
  ]);
});

it("All is on only without any filter, and removes every one but the order", () => {
  const all = (params: Record<string, string>) => toFilters(readInboxView(params), COUNTS).chips[0];
  expect(all({ sort: "age" })).toMatchObject({ isOn: true });
  for (const name of ["workflow", "agent", "tool", "q"])
    expect(all({ [name]: "x", sort: "age" })).toMatchObject({ isOn: false, href: "/inbox?sort=age" });
});
