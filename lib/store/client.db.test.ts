import { expect, test } from "vitest";
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
