import { expect, it } from "vitest";
import { compareArguments } from "./compare-arguments";
import { chooseConfirmWord } from "./confirm-word";
import { listInvisible, printShown, showArguments } from "./show-arguments";

const shownPaths = (value: unknown, names?: string[]) =>
  showArguments(value, names).map(({ path, value: shown }) => [path, printShown(shown)]);

it("gives every leaf its path, those that the schema requires first, the rest by name, lists in their order", () => {
  expect(
    shownPaths({ zeta: 1, amount: 2.5, items: [{ sku: "b" }, { sku: "a" }], none: null, empty: [], on: false }, [
      "amount",
    ]),
  ).toEqual([
    ["amount", "2.5"],
    ["empty", "[]"],
    ["items[0].sku", '"b"'],
    ["items[1].sku", '"a"'],
    ["none", "null"],
    ["on", "false"],
    ["zeta", "1"],
  ]);
});

it("shows a list of plain values as one argument with hidden characters visible, and a list of objects by its leaves", () => {
  expect(
    shownPaths({ to: ["a@x.test", "b\u200B@x.test", 'c", "d'], sizes: [1, null, true], mixed: [1, { a: 2 }] }),
  ).toEqual([
    ["mixed[0]", "1"],
    ["mixed[1].a", "2"],
    ["sizes", "1, null, true"],
    ["to", '"a@x.test", "b⟨U+200B⟩@x.test", "c\\", \\"d"'],
  ]);
});

it("names what is new in a list", () => {
  const [now, last] = [
    ["a", "b", "d", "a"],
    ["c", "b", "a"],
  ].map((to) => showArguments({ to }));
  expect(compareArguments(now!, [last!], new Map()).arguments[0]?.change).toEqual({
    was: '"c", "b", "a"',
    firstTimeIn: null,
    newItems: [2],
  });
});

it("makes invisible characters visible, in values and in names", () => {
  expect(shownPaths({ "to\u200Bken": "pay \u202Eevil\u0007" })).toEqual([
    ['["to⟨U+200B⟩ken"]', '"pay ⟨U+202E⟩evil⟨U+0007⟩"'],
  ]);
});

it("shows kind, length and fingerprint of a redacted value, and shows an imitation as what it is", () => {
  expect(showArguments({ key: { $redacted: { kind: "string", length: 40, fingerprint: "ab12" } } })).toEqual([
    { path: "key", value: { kind: "redacted", what: "string", length: 40, fingerprint: "ab12" } },
  ]);
  expect(shownPaths({ key: { $$redacted: { kind: "string" } } })).toEqual([["key.$$redacted.kind", '"string"']]);
});

it("no text is cut, however long", () => {
  const [row] = showArguments({ body: "x".repeat(100_000) });
  expect(row?.value).toMatchObject({ kind: "text", length: 100_000 });
  expect(printShown(row!.value)).toHaveLength(100_002);
});

it("marks what differs from the last approved call, what is new to all of them, and what is gone", () => {
  const now = showArguments({ amount: 1240, currency: "EUR", iban: "DE02", order: "A-2" });
  const earlier = [
    { amount: 89.9, currency: "EUR", order: "A-1", note: "x" },
    { amount: 1240, currency: "EUR", order: "A-1" },
  ].map((args) => showArguments(args));
  const { arguments: compared, gone } = compareArguments(now, earlier, new Map());
  expect(Object.fromEntries(compared.map(({ path, change }) => [path, change]))).toEqual({
    amount: { was: "89.9", firstTimeIn: null },
    currency: null,
    iban: { was: null, firstTimeIn: 2 },
    order: { was: '"A-1"', firstTimeIn: 2 },
  });
  expect(gone).toEqual([{ path: "note", was: '"x"' }]);
});

it("without an earlier call nothing counts as changed, and a hidden value says where it occurred", () => {
  const now = showArguments({ key: { $redacted: { kind: "string", length: 4, fingerprint: "ab" } } });
  expect(compareArguments(now, [], new Map([["ab", "call 2 of this run (crm.read)"]])).arguments).toMatchObject([
    { change: null, sameAs: "call 2 of this run (crm.read)" },
  ]);
});

it.each([
  [{ customer_id: "C-202" }, "C-202"],
  [{ on: true, amount: 1240.5 }, "1240.5"],
  [{ body: "x".repeat(41), to: "a\u200Bb" }, "drop-table"],
  [{ key: { $redacted: { kind: "string", length: 4, fingerprint: "ab" } } }, "drop-table"],
  [{}, "drop-table"],
])("to approve %j, %s is typed", (args, word) => {
  expect(chooseConfirmWord("drop-table", showArguments(args))).toBe(word);
});

it("lists the arguments that contain hidden characters, and such names in the schema", () => {
  expect(
    listInvisible({ text: "a\u202Eb\u202Ec\u200B", plain: "ab", "na\u200Bme": 1, deep: { list: ["\u2066"] } }, [
      "text",
      "ot\u200Bher",
    ]),
  ).toEqual([
    { name: "text", shownName: "text", marks: ["⟨U+202E⟩", "⟨U+200B⟩"] },
    { name: "na\u200Bme", shownName: "na⟨U+200B⟩me", marks: [] },
    { name: "deep", shownName: "deep", marks: ["⟨U+2066⟩"] },
    { name: "ot\u200Bher", shownName: "ot⟨U+200B⟩her", marks: [] },
  ]);
});
