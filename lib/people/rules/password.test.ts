import { expect, test } from "vitest";
import { generatePassword, hashPassword, passwordProblem, verifyPassword } from "./password";

test("a password verifies against its own hash and no other", async () => {
  const hash = await hashPassword("correct horse battery");
  expect(await verifyPassword("correct horse battery", hash)).toBe(true);
  expect(await verifyPassword("correct horse batterz", hash)).toBe(false);
});

test("the same password is hashed differently each time", async () => {
  expect(await hashPassword("correct horse battery")).not.toBe(await hashPassword("correct horse battery"));
});

test("a password never verifies when there is no account", async () => {
  expect(await verifyPassword("", null)).toBe(false);
  expect(await verifyPassword("anything at all", null)).toBe(false);
});

test("a hash that was damaged verifies nothing", async () => {
  expect(await verifyPassword("x", "plain$x")).toBe(false);
});

test("composed and decomposed forms of a letter are the same password", async () => {
  expect(await verifyPassword("cafe\u0301 cafe\u0301 au lait", await hashPassword("caf\u00e9 caf\u00e9 au lait"))).toBe(
    true,
  );
});

test.each([
  ["short", "at least 12"],
  ["x".repeat(300), "at most 256"],
  ["ana@example.org-1", "must not contain the e-mail"],
  ["aaaaaaaaaaaaaaaa", "repeats too few"],
])("%s is refused with a reason", (password, reason) => {
  expect(passwordProblem(password, "ana@example.org")).toContain(reason);
});

test("a generated password is accepted", () => {
  expect(passwordProblem(generatePassword(), "ana@example.org")).toBeNull();
});
