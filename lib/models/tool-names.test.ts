import fc from "fast-check";
import { expect, test } from "vitest";
import { readWireNames, toWireName } from "./tool-names";

test("a valid name stays as it is", () => {
  expect(toWireName("mcp__shop__orders-read")).toBe("mcp__shop__orders-read");
});

test("any name becomes valid for every provider and is translated back unchanged", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.string({ minLength: 1, maxLength: 200, unit: "binary" }), { minLength: 1, maxLength: 20 }),
      (names) => {
        const tools = names.map((name) => ({ name, description: "", inputSchema: {} }));
        const nameOf = readWireNames({ tools, messages: [] });
        for (const name of names) {
          expect(toWireName(name)).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
          expect(nameOf(toWireName(name))).toBe(name);
        }
      },
    ),
  );
});

test("two long names with the same beginning stay distinct", () => {
  const base = "mcp__server__".padEnd(100, "x");
  expect(toWireName(`${base}a`)).not.toBe(toWireName(`${base}b`));
});

test("a name that no one offered stays as the model wrote it", () => {
  expect(readWireNames({ tools: [], messages: [] })("mcp__bank__drain")).toBe("mcp__bank__drain");
});
