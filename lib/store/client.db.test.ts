import { expect, test } from "vitest";
import { commitTogether } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";
import { PLAN_ANEW, PLAN_ONCE } from "@/lib/store/plan-anew";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();

test("a written-out statement inside a transaction is part of it, and outside of one is not", async () => {
  const { db } = database;
  const undone = db.$transaction(async (tx) => {
    await tx.$queryRaw`INSERT INTO settings (key, value) VALUES ('inside', 'true'::jsonb) RETURNING key`;
    await db.$queryRaw`INSERT INTO settings (key, value) VALUES ('outside', 'true'::jsonb) RETURNING key`;
    throw new Error("undone on purpose");
  });
  await expect(undone).rejects.toThrow("undone on purpose");
  expect((await db.setting.findMany({ orderBy: { key: "asc" } })).map(({ key }) => key)).toEqual(["outside"]);
});

test("values come back as Prisma gives them", async () => {
  const [direct] = await database.db.$queryRaw<object[]>`SELECT 1::int8 AS big, 1.50::numeric AS exact, '{"a":1}'::jsonb AS json, '2026-01-02T03:04:05Z'::timestamptz AS at, '\\x01'::bytea AS bytes, ARRAY['a', 'b'] AS list, NULL::text AS none`;
  const [prisma] = await database.db.$transaction((tx) => tx.$queryRaw<object[]>`SELECT 1::int8 AS big, 1.50::numeric AS exact, '{"a":1}'::jsonb AS json, '2026-01-02T03:04:05Z'::timestamptz AS at, '\\x01'::bytea AS bytes, ARRAY['a', 'b'] AS list, NULL::text AS none`);
  expect({ ...direct, bytes: [...(direct as { bytes: Uint8Array }).bytes] }).toEqual({ ...prisma, bytes: [...(prisma as { bytes: Uint8Array }).bytes] });
});

test("statements that go together happen all or not at all, and the pool is as good after a failure as before", async () => {
  const { db } = database;
  const set = (key: string) => Prisma.sql`INSERT INTO settings (key, value) VALUES (${key}, 'true'::jsonb) RETURNING key`;
  await expect(commitTogether(db, [set("one"), Prisma.sql`SELECT 1 / 0`, set("two")])).rejects.toThrow("division by zero");
  const kept = () => db.setting.count({ where: { key: { in: ["one", "two", "a1", "b1", "a2", "b2"] } } });
  expect(await kept()).toBe(0);
  for (const round of [1, 2]) {
    const rows = await commitTogether(db, [set(`a${round}`), Prisma.sql`SELECT 1 WHERE false`, set(`b${round}`), Prisma.sql`SELECT ${"10.50"}::numeric AS exact, ${null}::text AS none`]);
    expect(rows).toEqual([[{ key: `a${round}` }], [], [{ key: `b${round}` }], [{ exact: new Prisma.Decimal("10.5"), none: null }]]);
  }
  expect(await kept()).toBe(4);
});

test("statements that are planned once go to connections that do so, and find things by key even in a table of few rows", async () => {
  const plans = (mark: Prisma.Sql) => database.db.$queryRaw<{ mode: string; whole: string }[]>`${mark}SELECT current_setting('plan_cache_mode') AS mode, current_setting('enable_seqscan') AS whole`;
  expect(await plans(PLAN_ONCE)).toEqual([{ mode: "force_generic_plan", whole: "off" }]);
  expect(await plans(PLAN_ANEW)).toEqual([{ mode: "auto", whole: "on" }]);
});
