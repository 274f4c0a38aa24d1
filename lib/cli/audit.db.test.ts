import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { verifies } from "@/e2e/requirements";
import { createProgram } from "@/lib/cli/program";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";

const database = useDatabase();
let printed: string[];

beforeEach(() => {
  printed = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

/** Every name of a field, at any depth. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

describe(verifies("cli:audit:json", "audit verify --json names its fields in snake_case, as the API does"), () => {
  const verify = async () => {
    await createProgram().parseAsync(["audit", "verify", "--json"], { from: "user" });
    return JSON.parse(printed.at(-1)!) as Record<string, unknown>;
  };

  test("of an intact trail", async () => {
    await buildUser(testDeps(database), "viewer");
    expect(await verify()).toMatchObject({
      ok: true,
      verified_at: expect.stringMatching(/Z$/),
      last_anchor_at: null,
      findings: [],
      findings_total: 0,
    });
    expect(namesIn(await verify()).filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
  });

  test("of a damaged one, with what was found and exit code 1", async () => {
    await buildUser(testDeps(database), "viewer");
    await database.db.$executeRawUnsafe("GRANT UPDATE ON journal, journal_other TO CURRENT_USER");
    await database.db.$executeRawUnsafe("ALTER TABLE journal DISABLE TRIGGER USER");
    await database.db.$executeRawUnsafe("UPDATE journal SET body = replace(body, 'viewer', 'admin') WHERE seq = 1");
    const report = await verify();
    expect(report).toMatchObject({
      ok: false,
      findings_total: expect.any(Number),
      findings: [{ row: expect.any(String), problem: expect.any(String), at: expect.any(String) }],
    });
    expect(namesIn(report).filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
    expect(process.exitCode).toBe(1);
  });
});
