/** What a commit writes to the rows of a run and its approvals, and how much of it goes to the log. */
import { expect, test } from "vitest";
import { Prisma } from "@/lib/database/generated/client";
import { changeRun } from "@/lib/runs/journal/change-run";
import { useDatabase } from "@/lib/testing/database";
import { startJournalRun } from "@/lib/testing/journal-run";

const database = useDatabase();
const now = () => new Date();
const LONG_TEXT = Array.from({ length: 80 }, (_, index) => String(index * 7919)).join(" ");
/** The heap, and the indexes by id, by run, by status, by time, by tool and of equal calls. */
const RECORDS_OF_DECISION = 7;

interface Logged {
  "WAL Records": number;
  "WAL Bytes": number;
}

async function countLogged(statement: Prisma.Sql): Promise<{ records: number; bytes: number }> {
  const [row] = await database.db.$queryRaw<{ "QUERY PLAN": [{ Plan: Logged }] }[]>`
    EXPLAIN (ANALYZE, WAL, FORMAT JSON) ${statement}`;
  const { Plan: plan } = row!["QUERY PLAN"][0];
  return { records: plan["WAL Records"], bytes: plan["WAL Bytes"] };
}

async function ask() {
  const run = await startJournalRun({ db: database.db, now });
  return { run, ...(await run.ask()) };
}

test("a commit that changes no index logs what it changes of a run, and not what the run was started with", async () => {
  const { run } = await ask();
  await database.db
    .$executeRaw`UPDATE runs SET params = jsonb_build_object('text', ${LONG_TEXT}::text) WHERE id = ${run.id}`;
  const logged = await countLogged(Prisma.sql`
    UPDATE runs SET seq = seq + 1, head = sha256(head), updated_at = now(), tool_calls = tool_calls + 1 WHERE id = ${run.id}`);
  expect(logged.records).toBe(1);
  expect(logged.bytes).toBeLessThan(300);
});

test("a decision logs what it changes of an approval, and one entry for each index of decided ones", async () => {
  const decide = async (summary: string) => {
    const { approvalId } = await ask();
    await database.db.$executeRaw`UPDATE approvals SET summary = ${summary} WHERE id = ${approvalId}`;
    return countLogged(Prisma.sql`
      UPDATE approvals SET status = 'approved', approvals = 1, version = version + 1, decided_at = now(), deciders = '{usr_1}'
      WHERE id = ${approvalId}`);
  };
  // The first entry of an index also creates its first page.
  await decide("Pay");
  const [short, long] = [await decide("Pay"), await decide(LONG_TEXT)];
  expect(short.records).toBe(RECORDS_OF_DECISION);
  expect(long.bytes - short.bytes).toBeLessThan(LONG_TEXT.length / 2);
});

test("an approval whose row is gone is written again only by a change that is made despite it", async () => {
  const { run, approvalId } = await ask();
  await database.db.$executeRaw`DELETE FROM approvals WHERE id = ${approvalId}`;
  const at = new Date(now().getTime() + 3_600_000).toISOString();
  const extend = (despiteRow: boolean) =>
    changeRun(database.db, run.id, {
      at: now(),
      despiteRow,
      build: ({ snapshot }) => {
        const { id, callId } = snapshot.approvals.get(approvalId)!;
        const actor = { kind: "user", id: "usr_1", name: "One" } as const;
        const change = { kind: "approval_extended", at, approvalId: id, callId, expiresAt: at, actor } as const;
        return { changes: [change], queue: { kind: "stay" }, done: null };
      },
    });
  expect((await extend(false)).kind).toBe("refused");
  expect(await database.db.approval.count({ where: { id: approvalId } })).toBe(0);
  expect((await extend(true)).kind).toBe("done");
  expect(await database.db.approval.findUniqueOrThrow({ where: { id: approvalId } })).toMatchObject({
    runId: run.id,
    version: 2,
    status: "pending",
    expiresAt: new Date(at),
  });
});
