import { describe, expect, it } from "vitest";
import { besides, filterKnown, findActive } from "./palette-items";

const PAGES = [
  { label: "Inbox", href: "/inbox" },
  { label: "Inbox: what I may decide", href: "/inbox?mine=1" },
  { label: "Settings: People", href: "/settings/people" },
];
const found = (text: string) => {
  const { pages, themes } = filterKnown(PAGES, text);
  return [...pages, ...themes].flatMap(({ items }) => items.map(({ label }) => label));
};

it("finds by the beginnings of words, in any order, and everything by nothing", () => {
  expect(found("inb")).toEqual(["Inbox", "Inbox: what I may decide"]);
  expect(found("peo sett")).toEqual(["Settings: People"]);
  expect(found("dark")).toEqual(["Dark theme"]);
  expect(found("box")).toEqual([]);
  expect(found(" ")).toHaveLength(PAGES.length + 3);
});

describe("the entry that Enter opens", () => {
  const page = { label: "Inbox", detail: "", href: "/inbox" };
  const older = { label: "Delete customer C-201", detail: "", href: "/inbox/apr_1" };
  const newer = { label: "Delete customer C-201", detail: "", href: "/inbox/apr_2" };
  const theme = { label: "Dark theme", detail: "", theme: "dark" as const };

  it("is none while only the list of another text is there", () => {
    expect(findActive({ items: [older, newer], open: [], picked: null, isSure: false })).toBe(-1);
    expect(findActive({ items: [older, newer], open: [], picked: newer, isSure: false })).toBe(-1);
    expect(findActive({ items: [older, theme], open: [theme], picked: null, isSure: false })).toBe(-1);
  });

  it("is the first once the answer is there, and a page before", () => {
    expect(findActive({ items: [older, newer], open: [older, newer], picked: null, isSure: true })).toBe(0);
    expect(findActive({ items: [page, older], open: [page], picked: null, isSure: true })).toBe(0);
  });

  it("stays the one that was picked, wherever it then stands", () => {
    expect(findActive({ items: [older, theme], open: [theme], picked: theme, isSure: false })).toBe(1);
    expect(
      findActive({ items: [older, newer, theme], open: [older, newer, theme], picked: { ...theme }, isSure: true }),
    ).toBe(2);
  });

  it("moves by keys over what is open only, round the ends", () => {
    expect(besides([older, newer, theme], older, 1)).toBe(newer);
    expect(besides([older, newer, theme], theme, 1)).toBe(older);
    expect(besides([older, newer, theme], older, -1)).toBe(theme);
    expect(besides([older, theme], undefined, 1)).toBe(older);
    expect(besides([older, theme], undefined, -1)).toBe(theme);
    expect(besides([], undefined, 1)).toBeNull();
  });
});
