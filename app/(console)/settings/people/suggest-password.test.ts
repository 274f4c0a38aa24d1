import { expect, it } from "vitest";
import { suggestPassword } from "./suggest-password";

it("suggests four groups of six letters and digits, a new one each time, using every letter", () => {
  const made = Array.from({ length: 200 }, suggestPassword);
  for (const password of made) expect(password).toMatch(/^[a-z2-9]{6}(-[a-z2-9]{6}){3}$/);
  expect(new Set(made).size).toBe(200);
  expect(new Set(made.join("").replaceAll("-", "")).size).toBe(32);
});
