/** Each month of the journal has its partition in advance, and no commit waits for it. */
import pg from "pg";
import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { addJournalMonths, listPartitions } from "@/lib/audit/retention/partitions";
import { readMonth } from "@/lib/audit/rules/journal-month";
import { connect } from "@/lib/database/client";
import { applyChange } from "@/lib/runs/changes/registry";
import { linkChanges, writeCommit } from "@/lib/runs/journal/commit";
import { getOpenRun, type OpenRun } from "@/lib/runs/journal/open-run";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { startJournalRun } from "@/lib/testing/journal-run";

const database = useDatabase();
let time = new Date("2026-11-18T09:00:00.000Z");
const deps = () => ({ ...testDeps(database), now: () => time });
const goTo = (at: string) => void (time = new Date(at));
const addMonths = () => addJournalMonths(database.db, time);
const readMonths = async () => (await listPartitions(database.db)).filter((name) => readMonth(name) !== null);

/** Another session's transaction, which stays open while `work` runs. */
async function during<T>(statement: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("BEGIN");
    await client.query(statement);
    const result = await work();
    await client.query("COMMIT");
    return result;
  } finally {
    await client.end();
  }
}

/** Like a commit of a worker or a decider: of a run that it knows, without reading the journal again. */
async function commitTo(run: OpenRun, db = database.db): Promise<boolean> {
  const at = time.toISOString();
  const changes = [{ kind: "run_claimed" as const, at, worker: "wrk_test", from: null, was: run.snapshot.run.status }];
  for (const change of changes) applyChange(run.snapshot, change);
  const commit = { run, changes, lease: null, queue: { kind: "stay" } as const, at: time };
  return writeCommit(db, commit, linkChanges(commit));
}

describe("months", () => {
  test("those of more than a year exist from the beginning, and a row goes to its own", async () => {
    const months = await readMonths();
    expect([months[0], months.at(-1), months.length]).toEqual(["journal_2026_11", "journal_2027_12", 14]);
    expect(await addMonths()).toBe("done");
    expect(await readMonths()).toEqual(months);
    const { id } = await startJournalRun(deps());
    expect(await placeOf(id)).toBe("journal_2026_11");
  });

  test("further ones are added a quarter ahead, once however many processes try", async () => {
    goTo("2027-11-30T23:59:59.999Z");
    await Promise.all([1, 2, 3].map(addMonths));
    expect(await addMonths()).toBe("done");
    expect((await readMonths()).slice(-3)).toEqual(["journal_2027_12", "journal_2028_01", "journal_2028_02"]);
  });

  test("rows that came before their partition are moved to it, with their transaction numbers, and rows of other months stay", async () => {
    goTo("2030-06-01T00:00:00.000Z");
    const early = await startJournalRun(deps());
    goTo("2025-03-01T00:00:00.000Z");
    const other = await startJournalRun(deps());
    const read = () =>
      database.db.$queryRaw`SELECT run_id, seq, at, body, mac, hash, data, tx FROM journal ORDER BY 1, 2`;
    const rows = await read();
    goTo("2030-04-30T23:59:59.999Z");
    expect(await addMonths()).toBe("done");
    expect(await read()).toEqual(rows);
    expect(await placeOf(early.id)).toBe("journal_2030_06");
    expect(await placeOf(other.id)).toBe("journal_other");
    expect((await getOpenRun(database.db, early.id)).head.seq).toBe(1);
  });

  test(
    verifies("audit:append-only", "rows cannot be changed, removed or truncated through their partition either"),
    async () => {
      for (const name of ["journal_2026_11", "journal_2028_01", "journal_2030_06", "journal_other"]) {
        for (const attempt of [`UPDATE ${name} SET seq = 9`, `DELETE FROM ${name}`, `TRUNCATE ${name}`]) {
          await expect(database.db.$executeRawUnsafe(attempt), attempt).rejects.toThrow(/permission denied/);
        }
        await database.db.$executeRawUnsafe(`GRANT ALL ON ${name} TO CURRENT_USER`);
        await expect(database.db.$executeRawUnsafe(`TRUNCATE ${name}`)).rejects.toThrow(/never changed or removed/);
        await database.db.$executeRawUnsafe(`REVOKE UPDATE, DELETE, TRUNCATE ON ${name} FROM CURRENT_USER`);
      }
    },
  );
});

describe("meanwhile", () => {
  test("a commit proceeds while a month is being added, and adding does not wait for it", async () => {
    goTo("2027-01-10T00:00:00.000Z");
    const { id } = await startJournalRun(deps());
    const run = await getOpenRun(database.db, id);
    // Its own client, because the test client reads the journal before it writes.
    const db = connect(database.url, 2);
    await during("SELECT add_journal_month('2031-01-01')", async () => {
      expect(await commitTo(run, db)).toBe(true);
      await startJournalRun({ ...deps(), db });
    });
    await db.$disconnect();
    goTo("2031-01-10T00:00:00.000Z");
    const written = `INSERT INTO journal (run_id, seq, at, body, mac, hash) VALUES ('open', 1, '2027-01-10', '', '', '')`;
    expect(await during(written, addMonths)).toBe("done");
    expect(await readMonths()).toContain("journal_2031_04");
  });

  test("behind a reader of the whole journal it is postponed, commits proceed, and nothing is left half done", async () => {
    goTo("2032-01-10T00:00:00.000Z");
    const months = await readMonths();
    const outcome = await during("SELECT count(*) FROM journal", async () => {
      const [added] = await Promise.all([
        addMonths(),
        startJournalRun({ ...deps(), now: () => new Date("2027-01-10") }),
      ]);
      return added;
    });
    expect(outcome).toBe("busy");
    expect(await readMonths()).toEqual(months);
    expect(await database.db.$queryRaw`SELECT to_regclass('journal_2032_01') AS name`).toEqual([{ name: null }]);
    expect(await addMonths()).toBe("done");
    expect(await readMonths()).toContain("journal_2032_04");
  });
});

async function placeOf(runId: string): Promise<string | undefined> {
  const [row] = await database.db.$queryRaw<
    { place: string }[]
  >`SELECT tableoid::regclass::text AS place FROM journal WHERE run_id = ${runId}`;
  return row?.place;
}
