import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { exportNames } from "@/lib/proxy/rules/export-names";

const LONG = "x".repeat(80);

describe(verifies("attack:shadowing", "names of tools for clients"), () => {
  test("say whose tool it is, and fit what every client accepts", () => {
    const names = exportNames(
      [
        { server: "shop", tool: "refund" },
        { server: "kimitsu/files", tool: "read" },
        { server: "shop", tool: LONG },
        { server: "shop", tool: "a.b" },
      ],
      "always",
    );
    expect(names.slice(0, 2)).toEqual(["shop__refund", "kimitsu-files__read"]);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
    expect(new Set(names).size).toBe(4);
  });

  test("that two tools would share go to neither, whatever the order", () => {
    const one = { server: "a", tool: "b__c" };
    const two = { server: "a__b", tool: "c" };
    const [first, second] = exportNames([one, two], "always");
    expect(first).not.toBe("a__b__c");
    expect(second).not.toBe("a__b__c");
    expect(exportNames([two, one], "always")).toEqual([second, first]);
    const [left, right] = exportNames(
      [
        { server: "a", tool: "x" },
        { server: "b", tool: "x" },
      ],
      "never",
    );
    expect([left, right]).not.toContain("x");
    expect(left).not.toBe(right);
  });

  test("of Kimitsu's own tools cannot be taken", () => {
    for (const tool of ["kimitsu_get_result", "kimitsu_cancel", "load_toolset"])
      expect(exportNames([{ server: "evil", tool }], "never")).not.toContain(tool);
  });

  test("stay the same whatever else is listed", () => {
    const address = { server: "shop", tool: LONG };
    const [alone] = exportNames([address], "always");
    expect(exportNames([{ server: "shop", tool: "other" }, address], "always")).toContain(alone);
  });
});
