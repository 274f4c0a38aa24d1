import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { listPartitions } from "@/lib/audit/retention/partitions";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { insertEvent } from "@/lib/audit/transitions/event-sql";
import { writeAnchor } from "@/lib/audit/transitions/write-anchor";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { projectChain } from "@/lib/testing/project-all";
import { TestClock, testDeps } from "@/lib/testing/deps";
import { startJournalRun } from "@/lib/testing/journal-run";
import { type PrivatePostgres, startPrivatePostgres } from "@/lib/testing/private-postgres";

/**
 * Its own server, because an anchor waits for open transactions, including those of other databases on the same server.
 */
let database: PrivatePostgres;
beforeAll(async () => void (database = await startPrivatePostgres()), 60_000);
afterAll(() => database?.remove());

/** What someone with full rights on the database could do: all of Postgres's own guards are switched off first. */
async function tamper(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const tables = ["journal", "anchors", ...(await listPartitions(database.db))];
  const guards = (verb: string) => tables.map((table) => `ALTER TABLE ${table} ${verb} TRIGGER USER`).join("; ");
  try {
    await client.query(`BEGIN; ${guards("DISABLE")}; GRANT ALL ON ${tables.join(", ")} TO CURRENT_USER`);
    await work(client);
    await client.query(
      `${guards("ENABLE")}; REVOKE UPDATE, DELETE, TRUNCATE ON ${tables.join(", ")} FROM CURRENT_USER; COMMIT`,
    );
  } finally {
    await client.end();
  }
}

const EMPTY = `TRUNCATE journal, anchors, events, decisions, projected_runs, run_search, approvals, calls, turns, steps, runs CASCADE;
  UPDATE chains SET seq = 0, head = ''`;

const eventOf = (clock: TestClock, n: number) =>
  ({ chainId: SYSTEM_CHAIN, type: "user.signed_in", at: clock.now(), actor: SYSTEM_ACTOR, data: { n } }) as const;
const write = (clock: TestClock, n: number) =>
  database.db.$executeRaw`WITH one AS (SELECT 1) ${insertEvent(eventOf(clock, n), "one")}`;

/** Each test has its own trail: a run of three rows, one of two, and three events of no run, anchored. */
async function trail() {
  await tamper((client) => client.query(EMPTY));
  const clock = new TestClock();
  const deps = testDeps(database, clock);
  const run = await startJournalRun(deps);
  for (let n = 1; n <= 3; n++) {
    clock.advance(1000);
    await write(clock, n);
  }
  clock.advance(1000);
  await run.change((_, at) => [{ kind: "run_claimed", at, worker: "wrk_test", from: null, was: "pending" }]);
  clock.advance(1000);
  const other = await startJournalRun(deps);
  await run.change((_, at) => [{ kind: "server_missed", at, server: "bank", message: "away" }]);
  clock.advance(1000);
  await other.change((_, at) => [{ kind: "run_claimed", at, worker: "wrk_test", from: null, was: "pending" }]);
  await writeAnchor(deps.db, clock.now());
  const findings = async () => (await verifyAudit(deps)).findings;
  return { deps, clock, findings, run: run.id, other: other.id };
}

test("an untouched trail verifies and says how much was read", async () => {
  const { deps } = await trail();
  expect(await verifyAudit(deps)).toMatchObject({ ok: true, chains: 3, events: 8, anchors: 1, findings: [] });
});

describe(verifies("audit:tampering", "the first bad row is named after"), () => {
  test("a body was changed", async () => {
    const { run, findings } = await trail();
    await tamper((client) =>
      client.query(`UPDATE journal SET body = replace(body, 'wrk_test', 'wrk_else') WHERE run_id = $1 AND seq = 2`, [
        run,
      ]),
    );
    expect((await findings())[0]).toMatchObject({
      row: `${run} row 2`,
      problem: expect.stringContaining("content was changed"),
    });
  });

  test("the changes that a run is folded from were changed, besides the events about them", async () => {
    const { run, findings } = await trail();
    await tamper((client) =>
      client.query(`UPDATE journal SET data = replace(data, 'bank', 'other') WHERE run_id = $1 AND seq = 3`, [run]),
    );
    expect((await findings())[0]).toMatchObject({
      row: `${run} row 3`,
      problem: expect.stringContaining("its data was changed"),
    });
  });

  test("a body was made unreadable", async () => {
    const { run, findings } = await trail();
    await tamper((client) =>
      client.query(`UPDATE journal SET body = 'none' WHERE run_id IN ($1, 'system') AND seq = 2`, [run]),
    );
    const named = (await findings()).map(({ row }) => row);
    expect(named).toEqual(expect.arrayContaining([`${run} row 2`, "system row 2"]));
  });

  test("a column beside the body was changed", async () => {
    const { run, findings } = await trail();
    await tamper((client) =>
      client.query(`UPDATE journal SET at = at + interval '1 hour' WHERE run_id = $1 AND seq = 2`, [run]),
    );
    expect((await findings())[0]).toMatchObject({
      row: `${run} row 2`,
      problem: expect.stringContaining("its column at was changed"),
    });
  });

  test.each([
    "type = 'run.failed'",
    "actor_id = 'usr_else'",
    "actor_name = 'Else'",
    "at = at + interval '1 hour'",
    "actor_kind = 'user'",
    `data = '{"n":9}'`,
  ])("what lists show of an event was changed: %s", async (change) => {
    const { findings, run } = await trail();
    for (const chain of [run, SYSTEM_CHAIN]) await projectChain(database.db, chain);
    await database.db.$executeRawUnsafe(
      `UPDATE events SET ${change} WHERE chain_id IN ('${run}', 'system') AND seq = 2`,
    );
    const named = await findings();
    expect(named).toHaveLength(2);
    expect(named.map(({ row }) => row.split(" ")[0]).toSorted()).toEqual([run, "system"].toSorted());
  });

  test("an event that lists show was written or removed by hand", async () => {
    const { findings, run } = await trail();
    for (const chain of [run, SYSTEM_CHAIN]) await projectChain(database.db, chain);
    const [first, second] = await database.db.event.findMany({ where: { chainId: run }, orderBy: { seq: "asc" } });
    await database.db.event.create({ data: { ...first!, id: "evt_forged", place: 7, data: {} } });
    await database.db.event.delete({ where: { id: second!.id } });
    await database.db.event.create({ data: { ...first!, id: "evt_nowhere", chainId: "run_nowhere", data: {} } });
    expect((await findings()).map(({ row, problem }) => `${row}: ${problem}`)).toEqual(
      expect.arrayContaining([
        `${run} evt_forged: the journal has no such event: the row was written by hand`,
        `${run} ${second!.id}: the row of this event is gone`,
        "run_nowhere run: no event tells of this run: its trail was removed, or it was written by hand",
      ]),
    );
  });

  test("a row in the middle was removed", async () => {
    const { run, findings } = await trail();
    await tamper((client) => client.query("DELETE FROM journal WHERE run_id IN ($1, 'system') AND seq = 2", [run]));
    expect(await findings()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ row: `${run} row 3`, problem: "row 2 is missing before it" }),
        expect.objectContaining({ row: "system row 3", problem: "row 2 is missing before it" }),
      ]),
    );
  });

  test("the last row of a chain was removed", async () => {
    const { run, findings } = await trail();
    await tamper((client) => client.query("DELETE FROM journal WHERE run_id IN ($1, 'system') AND seq = 3", [run]));
    expect(await findings()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ row: `${run} row 3`, problem: expect.stringContaining("anchor 1") }),
        expect.objectContaining({ row: `${run} run`, problem: "its journal ends at row 2, and its row says 3" }),
        expect.objectContaining({ row: "system row 3", problem: expect.stringContaining("anchor 1") }),
        expect.objectContaining({ row: "system", problem: expect.stringContaining("ends at row 2") }),
      ]),
    );
  });

  test("the last row of a chain was removed, and the row of the run adjusted", async () => {
    const { run, findings } = await trail();
    await tamper(async (client) => {
      await client.query("DELETE FROM journal WHERE run_id = $1 AND seq = 3", [run]);
      await client.query(
        "UPDATE runs SET seq = 2, head = (SELECT hash FROM journal WHERE run_id = $1 AND seq = 2) WHERE id = $1",
        [run],
      );
    });
    expect(await findings()).toContainEqual(
      expect.objectContaining({ row: `${run} row 3`, problem: expect.stringContaining("anchor 1") }),
    );
  });

  test("a whole chain was removed, and its run with it", async () => {
    const { other, findings } = await trail();
    await tamper(async (client) => {
      await client.query("DELETE FROM journal WHERE run_id = $1", [other]);
      for (const table of ["run_search", "steps"])
        await client.query(`DELETE FROM ${table} WHERE run_id = $1`, [other]);
      await client.query("DELETE FROM runs WHERE id = $1", [other]);
    });
    expect(await findings()).toContainEqual(
      expect.objectContaining({
        row: `${other} row 2`,
        problem: expect.stringContaining("anchor 1"),
      }),
    );
  });

  test("the row of a run was removed", async () => {
    const { other, findings } = await trail();
    await tamper(async (client) => {
      for (const table of ["run_search", "steps"])
        await client.query(`DELETE FROM ${table} WHERE run_id = $1`, [other]);
      await client.query("DELETE FROM runs WHERE id = $1", [other]);
    });
    expect(await findings()).toEqual([
      expect.objectContaining({ row: `${other} run`, problem: expect.stringContaining("its row is gone") }),
    ]);
  });

  test("a row was inserted by hand, although the database chained it", async () => {
    const { deps, findings } = await trail();
    const body = `{"at":"2026-01-01T11:00:00.000Z","chain":"system","data":null,"events":[],"key":"x"}`;
    await deps.db.$executeRaw`INSERT INTO journal (run_id, seq, at, body, mac, hash)
      SELECT 'system', p.seq, '2026-01-01T11:00:00.000Z', ${body}, j.mac, p.hash
      FROM journal j, LATERAL next_in_chain(j.run_id, j.mac, ${body}) p WHERE j.run_id = 'system' AND j.seq = 1`;
    expect((await findings())[0]).toMatchObject({
      row: "system row 4",
      problem: expect.stringContaining("written by hand"),
    });
  });

  test("a genuine row was copied into another chain, or behind the end of its own", async () => {
    const { deps, run, other, findings } = await trail();
    await deps.db.$executeRaw`INSERT INTO journal (run_id, seq, at, body, mac, hash, data)
      SELECT ${other}, 3, at, body, mac, hash, data FROM journal WHERE run_id = ${run} AND seq = 3`;
    await deps.db.$executeRaw`INSERT INTO journal (run_id, seq, at, body, mac, hash)
      SELECT run_id, 4, at, body, mac, hash FROM journal WHERE run_id = 'system' AND seq = 3`;
    expect(await findings()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          row: `${other} row 3`,
          problem: expect.stringContaining("its column chain was changed"),
        }),
        expect.objectContaining({ row: "system row 4", problem: expect.stringContaining("written by hand") }),
      ]),
    );
  });

  test("a row was changed and every hash after it recomputed", async () => {
    const { findings } = await trail();
    await tamper(async (client) => {
      const { rows } = await client.query(
        "DELETE FROM journal WHERE run_id = 'system' AND seq > 1 RETURNING at, body, mac, seq",
      );
      await client.query("UPDATE chains SET seq = 1, head = (SELECT hash FROM journal WHERE run_id = 'system')");
      for (const row of rows.sort((a, b) => a.seq - b.seq)) {
        const values = [row.at, row.body.replace('"n":2', '"n":9'), row.mac];
        await client.query(
          "INSERT INTO journal (run_id, seq, at, body, mac, hash) SELECT 'system', seq, $1, $2, $3, hash FROM next_in_chain('system', $3, $2)",
          values,
        );
      }
    });
    expect((await findings())[0]).toMatchObject({ row: "system row 2", problem: expect.stringContaining("seal") });
  });

  test("an anchor was changed or removed", async () => {
    const { deps, clock, findings } = await trail();
    await write(clock, 4);
    await writeAnchor(deps.db, clock.now());
    await tamper((client) => client.query("UPDATE anchors SET rows = rows + 1 WHERE seq = 2"));
    expect((await findings())[0]).toMatchObject({ row: "anchor 2", problem: expect.stringContaining("column rows") });
    await tamper((client) => client.query("DELETE FROM anchors WHERE seq = 1"));
    expect((await findings())[0]).toMatchObject({ row: "anchor 2", problem: "anchor 1 is missing before it" });
  });
});

test(
  verifies(
    "audit:append-only",
    "the application's own role can neither change nor remove nor truncate what was written",
  ),
  async () => {
    await trail();
    for (const attempt of [
      "UPDATE journal SET seq = 9",
      "DELETE FROM journal",
      "TRUNCATE journal",
      "DELETE FROM journal_other",
      "UPDATE anchors SET rows = 0",
      "DELETE FROM anchors",
    ]) {
      await expect(database.db.$executeRawUnsafe(attempt), attempt).rejects.toThrow(/permission denied/);
    }
  },
);

test(
  verifies("audit:append-only", "even with the right granted, a change is refused by the table itself"),
  async () => {
    await trail();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query("BEGIN; GRANT ALL ON journal TO CURRENT_USER");
    await expect(client.query("UPDATE journal SET seq = 9")).rejects.toThrow(
      /rows of journal(_other)? are never changed or removed/,
    );
    await client.query("ROLLBACK");
    await client.end();
  },
);

test(
  verifies("audit:concurrent", "a row whose transaction is still open falls into a later anchor, not between two"),
  async () => {
    const { deps, clock, run } = await trail();
    const late = new pg.Client({ connectionString: database.url });
    await late.connect();
    await late.query("BEGIN");
    const sealed = insertEvent(eventOf(clock, 4), "one");
    await late.query(`WITH one AS (SELECT 1) ${sealed.text}`, sealed.values as unknown[]);
    const early = await startJournalRun(deps);
    expect(early.id).not.toBe(run);
    expect(await writeAnchor(deps.db, clock.now())).toBeNull();
    await late.query("COMMIT");
    await late.end();
    expect(await writeAnchor(deps.db, clock.now())).toEqual({ seq: 2, rows: 2 });
    expect((await verifyAudit(deps)).ok).toBe(true);
  },
);
