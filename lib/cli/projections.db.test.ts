import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createProgram } from "@/lib/cli/program";
import { aRun } from "@/lib/testing/changes";
import { useDatabase } from "@/lib/testing/database";
import { keepTestVersion, writeRuns } from "@/lib/testing/write-runs";

const database = useDatabase();
let printed: string[];

beforeEach(() => {
  printed = [];
  for (const name of ["log", "error"] as const)
    vi.spyOn(console, name).mockImplementation((line: string) => void printed.push(line));
});
afterEach(() => vi.restoreAllMocks());

test("projections rebuild fills the tables again and shows its progress", async () => {
  const { db } = database;
  const run = aRun();
  await keepTestVersion(db);
  await writeRuns(db, [{ run, at: new Date() }]);
  const [stepId] = run.steps.map(({ id }) => id);
  await db.step.update({ where: { id: stepId ?? "" }, data: { key: "changed-by-hand" } });
  await createProgram().parseAsync(["projections", "rebuild"], { from: "user" });
  expect(await db.step.findMany({ where: { runId: run.id } })).toMatchObject([{ id: stepId, key: "work" }]);
  expect(printed).toContain("1 of 1 runs");
  expect(printed.at(-1)).toBe("The projections are filled anew (runs: 1).");
});
