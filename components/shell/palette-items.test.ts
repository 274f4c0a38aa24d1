import { expect, it } from "vitest";
import { filterKnown } from "./palette-items";

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
