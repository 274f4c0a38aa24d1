import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { previewEdit } from "@/lib/approvals/view/preview-edit";

const args = { customer_id: "C-201", note: "pay \u202Eevil", "na\u200Bme": 1 };
const card = {
  tool: "delete-customer",
  danger: "critical" as const,
  edit: { schema: { required: ["customer_id"] }, arguments: args, invisible: [] },
};

test(verifies("inbox:hidden", "hidden characters are visible in proposed and effective values, and in names"), () => {
  const { "na\u200Bme": _, ...rest } = args;
  expect(previewEdit(card, { ...rest, note: "pay\u2066 less", count: 2 }).rows).toEqual([
    { name: "count", was: null, becomes: "2" },
    { name: "na⟨U+200B⟩me", was: "1", becomes: null },
    { name: "note", was: '"pay ⟨U+202E⟩evil"', becomes: '"pay⟨U+2066⟩ less"' },
  ]);
});

test(
  verifies("inbox:hidden", "a changed secret shows kind, length and fingerprint, and an unchanged one is no change"),
  () => {
    const hidden = (fingerprint: string) => ({ $redacted: { kind: "string", length: 4, fingerprint } });
    const secret = { ...card, edit: { ...card.edit, arguments: { pin: hidden("a1"), key: hidden("b2") } } };
    expect(previewEdit(secret, { pin: hidden("c3"), key: hidden("b2") }).rows).toEqual([
      { name: "pin", was: "string hidden, 4 characters, a1", becomes: "string hidden, 4 characters, c3" },
    ]);
  },
);

test(verifies("inbox:critical", "the word to type is a value of the call as it will be sent"), () => {
  expect(previewEdit(card, { ...args, customer_id: "C-202" }).confirmWord).toBe("C-202");
  expect(previewEdit({ ...card, danger: "high" }, { ...args, customer_id: "C-202" }).confirmWord).toBeNull();
});
