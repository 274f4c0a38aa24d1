import { expect, it } from "vitest";
import { applyEdits } from "./apply-edits";

const stored = '{"amount":89.9,"note":"x","token":"hidden from people"}';

it("changes what is named and passes the rest through as it is stored", () => {
  expect(
    applyEdits(stored, [
      { name: "amount", value: 12.5 },
      { name: "note", remove: true },
      { name: "urgent", value: null },
    ]),
  ).toEqual({ amount: 12.5, token: "hidden from people", urgent: null });
});

it("a name that every object has is treated like any other", () => {
  const args = applyEdits(stored, [{ name: "__proto__", value: { polluted: true } }]);
  expect(Object.hasOwn(args, "__proto__")).toBe(true);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
