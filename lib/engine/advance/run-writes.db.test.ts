import { beforeEach, expect, test, vi } from "vitest";
import { LeaseLost } from "@/lib/engine/advance/run-memory";
import { RunWrites } from "@/lib/engine/advance/run-writes";
import type { Statements } from "@/lib/store/client";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
const keep = (key: string) => async (db: Statements) => {
  const rows = await db.$queryRaw<object[]>`INSERT INTO settings (key, value) VALUES (${key}, 'true'::jsonb) RETURNING key`;
  return { kind: rows.length > 0 ? ("done" as const) : ("lost" as const) };
};
beforeEach(() => database.db.setting.deleteMany());
const listKept = () => database.db.$queryRaw<{ key: string; tx: string }[]>`SELECT key, xmin::text AS tx FROM settings ORDER BY key`;

test("what was put off is committed with the next write, in order and in one transaction", async () => {
  const writes = new RunWrites(database.db, "run_test");
  await writes.later(keep("1"));
  await writes.later(keep("2"));
  const seen = await writes.now((db) => db.$queryRaw<{ key: string }[]>`SELECT key FROM settings ORDER BY key`);
  expect(seen.map(({ key }) => key)).toEqual(["1", "2"]);
  await writes.later(keep("3"));
  await writes.now(keep("4"));
  const kept = await listKept();
  expect(kept.map(({ key }) => key)).toEqual(["1", "2", "3", "4"]);
  expect(new Set(kept.map(({ tx }) => tx)).size).toBe(2);
});

test("what was put off is on record soon although nothing follows", async () => {
  const writes = new RunWrites(database.db, "run_test");
  await writes.later(keep("alone"));
  await vi.waitFor(async () => expect((await listKept()).map(({ key }) => key)).toEqual(["alone"]));
});

test("a flush waits until all of it is on record", async () => {
  const writes = new RunWrites(database.db, "run_test");
  await Promise.all(["a", "b", "c"].map((key) => writes.later(keep(key))));
  await writes.flush();
  expect(await listKept()).toHaveLength(3);
});

test("a write that fails does not take the others with it, and whoever writes next is told", async () => {
  const writes = new RunWrites(database.db, "run_test");
  await writes.later(keep("good"));
  await writes.later(async (db) => {
    await db.$queryRaw`SELECT 1 / 0`;
    return { kind: "done" };
  });
  await expect(writes.now(keep("after"))).rejects.toThrow("division by zero");
  expect((await listKept()).map(({ key }) => key)).toEqual(["after", "good"]);
  await expect(writes.now(keep("never"))).rejects.toThrow("division by zero");
  expect(await listKept()).toHaveLength(2);
});

test("a write that was refused because the lease is lost ends everything that comes after it", async () => {
  const writes = new RunWrites(database.db, "run_test");
  await writes.later(async (db) => {
    await db.$queryRaw`SELECT 1 WHERE false`;
    return { kind: "lost" };
  });
  await expect(writes.flush()).rejects.toThrow(LeaseLost);
  await expect(writes.later(keep("late"))).rejects.toThrow(LeaseLost);
  expect(await listKept()).toEqual([]);
});

test("writers side by side share commits, and each gets its own answer", async () => {
  const writes = new RunWrites(database.db, "run_test");
  const answers = await Promise.all(Array.from({ length: 20 }, (_, place) => writes.now((db) => db.$queryRaw<{ place: number }[]>`SELECT ${place}::int AS place`)));
  expect(answers.map(([row]) => row?.place)).toEqual(Array.from({ length: 20 }, (_, place) => place));
});
