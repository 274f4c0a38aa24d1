import { expect, test } from "vitest";
import { openSecret, sealSecret } from "@/lib/database/secret-box";

test("what was sealed is opened, and what was changed or truncated is refused with a message", () => {
  const sealed = sealSecret("hush");
  expect(openSecret(sealed)).toBe("hush");
  const refusal = expect.objectContaining({ code: "unavailable" });
  const changed = Uint8Array.from(sealed, (byte, index) => (index === sealed.length - 1 ? byte ^ 1 : byte));
  expect(() => openSecret(changed)).toThrow(refusal);
  for (let length = 0; length < sealed.length; length += 1)
    expect(() => openSecret(sealed.slice(0, length)), `${length} bytes of it`).toThrow(refusal);
});
