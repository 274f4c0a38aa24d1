import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SYSTEM_ACTOR } from "@/lib/domain/actor";
import { verifyAudit } from "@/lib/engine/verify-audit";
import { insertEvent } from "@/lib/store/event-sql";
import { writeAnchor } from "@/lib/store/transitions/write-anchor";
import { TestClock, testDeps } from "@/lib/testing/deps";
import { type PrivatePostgres, startPrivatePostgres } from "@/lib/testing/private-postgres";

/** A server of its own: an anchor waits for open transactions, and those of other databases on the same server are among them. */
let database: PrivatePostgres;
beforeAll(async () => void (database = await startPrivatePostgres()), 60_000);
afterAll(() => database?.remove());

/** What someone with full rights on the database could do: every guard that Postgres itself holds is switched off first. */
async function tamper(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    await client.query("BEGIN; ALTER TABLE events DISABLE TRIGGER USER; ALTER TABLE anchors DISABLE TRIGGER USER; GRANT ALL ON events, anchors TO CURRENT_USER");
    await work(client);
    await client.query("ALTER TABLE events ENABLE TRIGGER USER; ALTER TABLE anchors ENABLE TRIGGER USER; REVOKE UPDATE, DELETE, TRUNCATE ON events, anchors FROM CURRENT_USER; COMMIT");
  } finally {
    await client.end();
  }
}

/** Each test has the trail to itself: three events in each of two chains, anchored. */
async function trail() {
  await tamper((client) => client.query("TRUNCATE events, anchors"));
  const clock = new TestClock();
  const chains = [`run_${randomBytes(8).toString("hex")}`, `run_${randomBytes(8).toString("hex")}`] as const;
  for (let n = 1; n <= 3; n++) {
    for (const chainId of chains) {
      clock.advance(1000);
      const event = insertEvent({ chainId, type: "step.started", at: clock.now(), actor: SYSTEM_ACTOR, data: { n } }, "one");
      await database.db.$executeRaw`WITH one AS (SELECT 1) ${event}`;
    }
  }
  const deps = testDeps(database, clock);
  await writeAnchor(deps.db, clock.now());
  return { deps, clock, chain: chains[0], other: chains[1] };
}

test("an untouched trail verifies and says how much was read", async () => {
  const { deps } = await trail();
  expect(await verifyAudit(deps)).toMatchObject({ ok: true, chains: 2, events: 6, anchors: 1, findings: [] });
});

describe(verifies("audit:tampering", "the first bad row is named after"), () => {
  test("a body was changed", async () => {
    const { deps, chain } = await trail();
    await tamper((client) => client.query(`UPDATE events SET body = replace(body, '"n":2', '"n":9') WHERE chain_id = $1 AND seq = 2`, [chain]));
    const report = await verifyAudit(deps);
    expect(report.ok).toBe(false);
    expect(report.findings[0]).toMatchObject({ row: expect.stringContaining(`${chain} event 2`), problem: expect.stringContaining("content was changed") });
  });

  test.each(["type = 'run.failed'", "actor_id = 'usr_else'", "actor_name = 'Else'", "at = at + interval '1 hour'", "actor_kind = 'user'"])(
    "a column beside the body was changed: %s",
    async (change) => {
      const { deps, chain } = await trail();
      await tamper((client) => client.query(`UPDATE events SET ${change} WHERE chain_id = $1 AND seq = 2`, [chain]));
      expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: expect.stringContaining(`${chain} event 2`), problem: expect.stringContaining("column") });
    },
  );

  test("a row in the middle was removed", async () => {
    const { deps, chain } = await trail();
    await tamper((client) => client.query("DELETE FROM events WHERE chain_id = $1 AND seq = 2", [chain]));
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: expect.stringContaining(`${chain} event 3`), problem: "event 2 is missing before it" });
  });

  test("the last row of a chain was removed", async () => {
    const { deps, chain } = await trail();
    await tamper((client) => client.query("DELETE FROM events WHERE chain_id = $1 AND seq = 3", [chain]));
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: `${chain} event 3`, problem: expect.stringContaining("anchor 1") });
  });

  test("a whole chain was removed", async () => {
    const { deps, other } = await trail();
    await tamper((client) => client.query("DELETE FROM events WHERE chain_id = $1", [other]));
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: `${other} event 3` });
  });

  test("a row was inserted by hand, although the database chained it", async () => {
    const { deps, chain } = await trail();
    const body = `{"actor":{"id":"usr_x","kind":"user","name":"X"},"at":"2026-01-01T11:00:00.000Z","chain":"${chain}","data":{},"id":"evt_x","type":"approval.decided"}`;
    await deps.db.$executeRaw`INSERT INTO events (id, chain_id, body, mac) SELECT 'evt_x', ${chain}, ${body}, mac FROM events WHERE chain_id = ${chain} AND seq = 1`;
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: `${chain} event 4 (evt_x)`, problem: expect.stringContaining("written by hand") });
  });

  test("a genuine event was copied into another chain", async () => {
    const { deps, chain, other } = await trail();
    await deps.db.$executeRaw`INSERT INTO events (id, chain_id, body, mac) SELECT 'evt_y', ${other}, body, mac FROM events WHERE chain_id = ${chain} AND seq = 1`;
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: `${other} event 4 (evt_y)`, problem: expect.stringContaining("column") });
  });

  test("a row was changed and every hash after it computed anew", async () => {
    const { deps, chain } = await trail();
    await tamper(async (client) => {
      const { rows } = await client.query("DELETE FROM events WHERE chain_id = $1 AND seq > 1 RETURNING id, chain_id, body, mac, seq", [chain]);
      await client.query("ALTER TABLE events ENABLE TRIGGER events_chain");
      for (const row of rows.sort((a, b) => a.seq - b.seq)) {
        const values = [row.id, row.chain_id, row.body.replace('"n":2', '"n":9'), row.mac];
        await client.query("INSERT INTO events (id, chain_id, body, mac) VALUES ($1, $2, $3, $4)", values);
      }
    });
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: expect.stringContaining(`${chain} event 2`), problem: expect.stringContaining("seal") });
  });

  test("an anchor was changed or removed", async () => {
    const { deps, clock, chain } = await trail();
    const event = insertEvent({ chainId: chain, type: "step.started", at: clock.now(), actor: SYSTEM_ACTOR, data: {} }, "one");
    await deps.db.$executeRaw`WITH one AS (SELECT 1) ${event}`;
    await writeAnchor(deps.db, clock.now());
    await tamper((client) => client.query("UPDATE anchors SET events = events + 1 WHERE seq = 2"));
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: "anchor 2", problem: expect.stringContaining("column events") });
    await tamper((client) => client.query("DELETE FROM anchors WHERE seq = 1"));
    expect((await verifyAudit(deps)).findings[0]).toMatchObject({ row: "anchor 2", problem: "anchor 1 is missing before it" });
  });
});

test(verifies("audit:append-only", "the application's own role can neither change nor remove nor truncate what was written"), async () => {
  await trail();
  for (const attempt of ["UPDATE events SET type = 'x'", "DELETE FROM events", "TRUNCATE events", "UPDATE anchors SET events = 0", "DELETE FROM anchors", "DELETE FROM decisions"]) {
    await expect(database.db.$executeRawUnsafe(attempt), attempt).rejects.toThrow(/permission denied/);
  }
});

test(verifies("audit:append-only", "even with the right granted, a change is refused by the table itself"), async () => {
  await trail();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("BEGIN; GRANT ALL ON events TO CURRENT_USER");
  await expect(client.query("UPDATE events SET type = 'x'")).rejects.toThrow("rows of events are never changed or removed");
  await client.query("ROLLBACK");
  await client.end();
});

test(verifies("audit:concurrent", "parallel writers of one chain leave one chain"), async () => {
  const { deps, clock, chain } = await trail();
  await Promise.all(
    Array.from({ length: 40 }, (_, n) => {
      const event = insertEvent({ chainId: chain, type: "turn.recorded", at: clock.now(), actor: SYSTEM_ACTOR, data: { n } }, "one");
      return deps.db.$executeRaw`WITH one AS (SELECT 1) ${event}`;
    }),
  );
  await writeAnchor(deps.db, clock.now());
  expect(await verifyAudit(deps)).toMatchObject({ ok: true, events: 46 });
});

test(verifies("audit:concurrent", "an event whose transaction is still open falls into a later anchor, not between two"), async () => {
  const { deps, clock, chain, other } = await trail();
  const late = new pg.Client({ connectionString: database.url });
  await late.connect();
  await late.query("BEGIN");
  const sealed = insertEvent({ chainId: chain, type: "late", at: clock.now(), actor: SYSTEM_ACTOR, data: {} }, "one");
  await late.query(`WITH one AS (SELECT 1) ${sealed.text}`, sealed.values as unknown[]);
  const early = insertEvent({ chainId: other, type: "early", at: clock.now(), actor: SYSTEM_ACTOR, data: {} }, "one");
  await deps.db.$executeRaw`WITH one AS (SELECT 1) ${early}`;
  expect(await writeAnchor(deps.db, clock.now())).toBeNull();
  await late.query("COMMIT");
  await late.end();
  expect(await writeAnchor(deps.db, clock.now())).toEqual({ seq: 2, events: 2 });
  expect((await verifyAudit(deps)).ok).toBe(true);
});
