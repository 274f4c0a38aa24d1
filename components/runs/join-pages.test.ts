import { describe, expect, test } from "vitest";
import { joinPages, type ListedPage } from "./join-pages";

/** Runs named by one letter each, newest first; the cursor is the last one's id when there is more. */
function page(ids: string, more = true): ListedPage {
  const items = [...ids].map((id) => ({ id })) as unknown as ListedPage["items"];
  return { items, nextCursor: more ? (items.at(-1)?.id ?? null) : null };
}
const shown = ({ items, nextCursor }: ListedPage) =>
  `${items.map(({ id }) => id).join("")}${nextCursor ? `…${nextCursor}` : ""}`;

describe("a page merged into the existing rows", () => {
  test.each([
    ["follows them", page("zyx"), "x", page("wvu"), "zyxwvu…u"],
    ["is the last one", page("zyx"), "x", page("wv", false), "zyxwv"],
    ["is empty, because what was below is gone", page("zyxwv"), "x", page("", false), "zyx"],
    ["is the top, read again", page("zyxwvu"), null, page("zyx"), "zyxwvu…u"],
    ["is the top with a new run", page("yxwvu"), null, page("zyx"), "zyxwvu…u"],
    ["is the top, of which a run no longer fits", page("zyxwvu"), null, page("zxw"), "zxwvu…u"],
    ["is the top, and so many are new that it does not reach them", page("fed"), null, page("zyx"), "zyx…x"],
    ["is the top and all there is", page("zyxwvu"), null, page("zy", false), "zy"],
    ["is one in the middle, read again without a run that ended", page("zyxwvuts"), "x", page("vut"), "zyxvuts…s"],
    ["reaches beyond the end", page("zyxw"), "y", page("xvut"), "zyxvut…t"],
  ])("%s", (_what, list, after, given, expected) => {
    expect(shown(joinPages(list, after, given))).toBe(expected);
  });
});

test("a session that called again while the page was open is at its new place only", () => {
  const row = (id: string, sessionId: string) => ({ id, client: { sessionId, folded: { calls: 2 } } });
  const items = (...rows: object[]) => rows as unknown as ListedPage["items"];
  const list = { items: items(row("w", "one"), row("v", "two"), row("u", "three")), nextCursor: "u" };
  const top = { items: items(row("x", "three"), row("w", "one")), nextCursor: "w" };
  expect(shown(joinPages(list, null, top))).toBe("xwv…u");
});
