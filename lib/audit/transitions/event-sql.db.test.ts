import { expect, onTestFinished, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { insertEvent, insertEvents } from "@/lib/audit/transitions/event-sql";
import { auditKeys } from "@/lib/database/audit-keys";
import { connect, type Db } from "@/lib/database/client";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { type Entry, eventsOfBody, findEntryProblem, NO_HEAD } from "@/lib/runs/journal/entry";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
const AT = new Date("2026-01-01T10:00:00.000Z");
const eventOf = (n: number) =>
  ({ chainId: SYSTEM_CHAIN, type: "user.signed_in", at: AT, actor: SYSTEM_ACTOR, data: { n } }) as const;
const write = (db: Db, n: number) => db.$executeRaw`WITH moved AS (SELECT 1) ${insertEvent(eventOf(n), "moved")}`;

async function readChain(): Promise<Entry[]> {
  const rows = await database.db.journal.findMany({ where: { runId: SYSTEM_CHAIN }, orderBy: { seq: "asc" } });
  return rows.map(({ runId, at, mac, hash, ...row }) => ({
    ...row,
    chain: runId,
    at: at.toISOString(),
    mac: Buffer.from(mac),
    hash: Buffer.from(hash),
  }));
}

/** Names the first row that is out of place or not linked; null when the chain is intact and its end is recorded. */
async function findBreak(): Promise<string | null> {
  let head = NO_HEAD;
  for (const entry of await readChain()) {
    const problem = findEntryProblem(entry, head, auditKeys());
    if (problem) return `row ${entry.seq}: ${problem}`;
    head = { seq: entry.seq, hash: entry.hash };
  }
  const { seq, head: end } = await database.db.chain.findUniqueOrThrow({ where: { id: SYSTEM_CHAIN } });
  return seq === head.seq && head.hash.equals(Buffer.from(end))
    ? null
    : `the chain ends at ${head.seq}, its row says ${seq}`;
}

test(
  verifies("audit:concurrent", "200 events of no run, written at once by two processes, are one unbroken chain"),
  async () => {
    const other = connect(database.url, 10);
    onTestFinished(() => other.$disconnect());
    const before = (await readChain()).length;
    await Promise.all(Array.from({ length: 200 }, (_, n) => write(n % 2 === 0 ? database.db : other, n)));
    const written = (await readChain())
      .slice(before)
      .flatMap(({ body }) => eventsOfBody(body).map(({ data }) => data.n));
    expect(written.toSorted((a, b) => Number(a) - Number(b))).toEqual(Array.from({ length: 200 }, (_, n) => n));
    expect(await findBreak()).toBeNull();
  },
);

test("a transition that changed nothing writes no row and leaves the chain unchanged", async () => {
  await write(database.db, 1);
  const before = await readChain();
  await database.db.$executeRaw`WITH moved AS (SELECT 1 WHERE false) ${insertEvent(eventOf(2), "moved")}`;
  await database.db.$queryRaw`
    WITH moved AS (DELETE FROM settings WHERE key = 'none' RETURNING key), logged AS (${insertEvent(eventOf(3), "moved")})
    SELECT key FROM moved`;
  expect(await readChain()).toEqual(before);
  expect(await findBreak()).toBeNull();
});

test("several events of one transition are one row, in their order, whatever it changed", async () => {
  const before = (await readChain()).length;
  const later = { ...eventOf(2), at: new Date(AT.getTime() + 5) };
  await database.db.$queryRaw`
    WITH moved AS (SELECT generate_series(1, 3)), logged AS (${insertEvents([eventOf(1), later], "moved")}) SELECT 1`;
  const [row, ...more] = (await readChain()).slice(before);
  expect(more).toEqual([]);
  expect(eventsOfBody(row!.body).map(({ data, at }) => ({ n: data.n, at }))).toEqual([
    { n: 1, at: AT.toISOString() },
    { n: 2, at: later.at.toISOString() },
  ]);
  expect(await findBreak()).toBeNull();
});

test("a rollback frees its position in the chain", async () => {
  await write(database.db, 1);
  const before = await readChain();
  const failing = database.db.$transaction(async (tx) => {
    await tx.$executeRaw`WITH moved AS (SELECT 1) ${insertEvent(eventOf(2), "moved")}`;
    throw new Error("on purpose");
  });
  await expect(failing).rejects.toThrow("on purpose");
  await write(database.db, 3);
  expect(await readChain()).toHaveLength(before.length + 1);
  expect(await findBreak()).toBeNull();
});
