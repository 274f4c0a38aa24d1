/** The database itself refuses contradictory rows of runs and approvals, whoever writes them. */
import { describe, expect, test } from "vitest";
import { Prisma } from "@/lib/database/generated/client";
import { useDatabase } from "@/lib/testing/database";
import { startJournalRun } from "@/lib/testing/journal-run";

const database = useDatabase();
const now = () => new Date();

async function ask() {
  const run = await startJournalRun({ db: database.db, now });
  return { runId: run.id, ...(await run.ask()) };
}

describe("a run", () => {
  test.each([
    "completed_at = now()",
    "status = 'complete'",
    "status = 'complete', completed_at = now(), wake_at = now()",
    "status = 'complete', completed_at = now(), lease_owner = 'w', lease_until = now()",
    "status = 'failed', completed_at = now()",
    "lease_owner = 'w'",
    "lease_until = now()",
    ...["tokens_in", "tokens_out", "cost_usd", "llm_calls", "tool_calls", "epoch", "seq"].map((name) => `${name} = -1`),
  ])("is not written with %s", async (change) => {
    const { runId } = await ask();
    const write = database.db.$executeRaw`UPDATE runs SET ${Prisma.raw(change)} WHERE id = ${runId}`;
    await expect(write).rejects.toThrow("runs_sound");
  });

  test("is written when it is consistent", async () => {
    const { runId } = await ask();
    const end = Prisma.raw("status = 'failed', completed_at = now(), error = '{}'");
    expect(await database.db.$executeRaw`UPDATE runs SET ${end} WHERE id = ${runId}`).toBe(1);
  });
});

describe("a question", () => {
  test.each([
    "decided_at = now()",
    "status = 'rejected'",
    "min_approvals = 0",
    "status = 'approved', decided_at = now(), approvals = 1, min_approvals = 2",
  ])("is not written with %s", async (change) => {
    const { approvalId } = await ask();
    const write = database.db.$executeRaw`UPDATE approvals SET ${Prisma.raw(change)} WHERE id = ${approvalId}`;
    await expect(write).rejects.toThrow("approvals_sound");
  });
});
