import { once } from "node:events";
import { type AddressInfo, connect as dial, createServer, type Socket } from "node:net";
import { expect, test } from "vitest";
import { commitInGroup, connect, type Db } from "@/lib/database/client";
import { isDatabaseAway } from "@/lib/database/database-away";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW, PLAN_ONCE, READ_IN_GROUP } from "@/lib/database/plan-anew";
import { useDatabase } from "@/lib/testing/database";
import { HANG_MS } from "@/lib/testing/hang";
import { until } from "@/lib/testing/until";

const database = useDatabase();

test("a raw statement inside a transaction is part of it, and outside of one is not", async () => {
  const { db } = database;
  const undone = db.$transaction(async (tx) => {
    await tx.$queryRaw`INSERT INTO settings (key, value) VALUES ('inside', 'true'::jsonb) RETURNING key`;
    await db.$queryRaw`INSERT INTO settings (key, value) VALUES ('outside', 'true'::jsonb) RETURNING key`;
    throw new Error("undone on purpose");
  });
  await expect(undone).rejects.toThrow("undone on purpose");
  expect(
    (await db.setting.findMany({ where: { key: { in: ["inside", "outside"] } }, orderBy: { key: "asc" } })).map(
      ({ key }) => key,
    ),
  ).toEqual(["outside"]);
});

test("values have the same types as from Prisma", async () => {
  const [direct] = await database.db.$queryRaw<
    object[]
  >`SELECT 1::int8 AS big, 1.50::numeric AS exact, '{"a":1}'::jsonb AS json, '2026-01-02T03:04:05Z'::timestamptz AS at, '\\x01'::bytea AS bytes, ARRAY['a', 'b'] AS list, NULL::text AS none`;
  const [prisma] = await database.db.$transaction(
    (tx) =>
      tx.$queryRaw<
        object[]
      >`SELECT 1::int8 AS big, 1.50::numeric AS exact, '{"a":1}'::jsonb AS json, '2026-01-02T03:04:05Z'::timestamptz AS at, '\\x01'::bytea AS bytes, ARRAY['a', 'b'] AS list, NULL::text AS none`,
  );
  expect({ ...direct, bytes: [...(direct as { bytes: Uint8Array }).bytes] }).toEqual({
    ...prisma,
    bytes: [...(prisma as { bytes: Uint8Array }).bytes],
  });
});

test("statements that are committed in a group each get their own result, one that raises fails alone, and the pool stays usable", async () => {
  const { db } = database;
  const set = (key: string) =>
    Prisma.sql`INSERT INTO settings (key, value) VALUES (${key}, 'true'::jsonb) RETURNING key`;
  const commit = (...statements: Prisma.Sql[]) =>
    Promise.allSettled(statements.map((statement, place) => commitInGroup(db, `key-${place}`, statement)));
  const kept = () => db.setting.count({ where: { key: { in: ["one", "two", "a1", "b1", "a2", "b2"] } } });
  expect(await commit(set("one"), Prisma.sql`SELECT 1 / 0`, set("two"))).toEqual([
    { status: "fulfilled", value: [{ key: "one" }] },
    { status: "rejected", reason: expect.objectContaining({ message: "division by zero" }) },
    { status: "fulfilled", value: [{ key: "two" }] },
  ]);
  expect(await kept()).toBe(2);
  for (const round of [1, 2]) {
    const exact = Prisma.sql`SELECT ${"10.50"}::numeric AS exact, ${null}::text AS none`;
    const answers = await commit(set(`a${round}`), Prisma.sql`SELECT 1 WHERE false`, set(`b${round}`), exact);
    expect(answers.map((answer) => answer.status === "fulfilled" && answer.value)).toEqual([
      [{ key: `a${round}` }],
      [],
      [{ key: `b${round}` }],
      [{ exact: new Prisma.Decimal("10.5"), none: null }],
    ]);
  }
  expect(await kept()).toBe(6);
});

test("concurrent reads share a connection, each gets its own result, and one that raises fails alone", async () => {
  const read = (what: Prisma.Sql) => database.db.$queryRaw<{ pid: number }[]>`${READ_IN_GROUP}SELECT ${what}`;
  const values = Array.from({ length: 200 }, (_, place) => place);
  for (const round of [1, 2]) {
    const answers = await Promise.allSettled(
      values.map((value) =>
        read(value === 7 ? Prisma.sql`1 / (${value}::int - 7)` : Prisma.sql`${value}::int AS value`),
      ),
    );
    expect(answers[7], `round ${round}`).toMatchObject({ status: "rejected", reason: { message: "division by zero" } });
    expect(answers.map((answer) => (answer.status === "fulfilled" ? answer.value : 7))).toEqual(
      values.map((value) => (value === 7 ? 7 : [{ value }])),
    );
  }
  const pids = await Promise.all(values.slice(0, 10).map(() => read(Prisma.sql`pg_backend_pid() AS pid`)));
  expect(new Set(pids.flat().map(({ pid }) => pid)).size).toBe(1);
});

test("statements that are planned once use the engine's connections, and use keys even in a table of few rows", async () => {
  const plans = (mark: Prisma.Sql) =>
    database.db.$queryRaw<
      { mode: string; whole: string }[]
    >`${mark}SELECT current_setting('plan_cache_mode') AS mode, current_setting('enable_seqscan') AS whole`;
  for (const mark of [PLAN_ONCE, READ_IN_GROUP])
    expect(await plans(mark)).toEqual([{ mode: "force_generic_plan", whole: "off" }]);
  expect(await plans(PLAN_ANEW)).toEqual([{ mode: "auto", whole: "on" }]);
});

/** A connection to the database that can break silently, as when its machine is gone. */
async function openBreakableWay(url: string) {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(url);
  const server = createServer((near) => {
    const far = dial(Number(port), hostname);
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) sockets.add(socket.on("error", () => undefined));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const way = new URL(url);
  way.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const breakOff = () => sockets.forEach((socket) => socket.resetAndDestroy());
  return {
    url: way.href,
    breakOff,
    close: () => {
      breakOff();
      server.close();
    },
  };
}

test.for([
  { what: "one statement", ask: (db: Db) => db.$queryRaw`SELECT pg_sleep(600)` },
  {
    what: "statements that are committed in a group",
    ask: (db: Db) =>
      Promise.all([
        commitInGroup(db, "a", Prisma.sql`SELECT pg_sleep(600)`),
        commitInGroup(db, "b", Prisma.sql`SELECT 1`),
      ]),
  },
  {
    what: "reads in a group",
    ask: (db: Db) =>
      Promise.all([db.$queryRaw`${READ_IN_GROUP}SELECT pg_sleep(600)`, db.$queryRaw`${READ_IN_GROUP}SELECT 1`]),
  },
  {
    what: "a transaction",
    ask: (db: Db) => db.$transaction((tx) => tx.$queryRaw`SELECT pg_sleep(600)`, { timeout: HANG_MS }),
  },
])("a connection that breaks off under $what fails it, ends no process, and the next one is fresh", async ({ ask }) => {
  const way = await openBreakableWay(database.url);
  const db = connect(way.url, 2);
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  process.on("uncaughtException", note);
  const failure = ask(db).then(
    () => null,
    (error: unknown) => error,
  );
  const sleeping = () =>
    database.db.$queryRaw<
      { pid: number }[]
    >`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  const asleep = await until(sleeping, { what: "the statement is under way", isDone: (rows) => rows.length > 0 });
  way.breakOff();
  expect(isDatabaseAway(await failure)).toBe(true);
  expect(await db.$queryRaw`SELECT 1 AS one`).toEqual([{ one: 1 }]);
  expect(uncaught).toEqual([]);
  process.off("uncaughtException", note);
  for (const { pid } of asleep) await database.db.$queryRaw`SELECT pg_terminate_backend(${pid}::int)`;
  await db.$disconnect();
  way.close();
});
