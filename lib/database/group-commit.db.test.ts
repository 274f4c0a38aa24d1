/**
 * Statements of many callers that are sent as one transaction: all or none, each with its own result, in the order of
 * their keys.
 */
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { GroupCommit } from "@/lib/database/group-commit";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
let pool: pg.Pool;

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: database.url, max: 4 });
  await pool.query(
    "CREATE TABLE put (key text, n int CHECK (n >= 0), tx bigint DEFAULT (pg_current_xact_id()::text::bigint), place serial)",
  );
});
afterAll(() => pool.end());

const insert = (key: string, n: number) => ({
  name: "put",
  text: "INSERT INTO put (key, n) VALUES ($1, $2) RETURNING tx, n",
  values: [key, n],
});
const rowsOf = async (prefix: string) =>
  (
    await pool.query<{ key: string; n: number; tx: string; place: number }>(
      "SELECT * FROM put WHERE key LIKE $1 ORDER BY place",
      [`${prefix}%`],
    )
  ).rows;

test("what is ready at the same time is one transaction, in the order of the keys, and each gets its own rows", async () => {
  const group = new GroupCommit(pool, undefined);
  const answers = await Promise.all(["c", "a", "b"].map((name, n) => group.put(`x-${name}`, insert(`x-${name}`, n))));
  expect(answers.map(([row]) => (row as { n: number }).n)).toEqual([0, 1, 2]);
  const rows = await rowsOf("x-");
  expect(rows.map(({ key }) => key)).toEqual(["x-a", "x-b", "x-c"]);
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(1);
});

test.each([0, 1, 2, 3, 4])(
  "when the statement at position %d raises, it alone fails, and nothing is done twice",
  async (bad) => {
    const group = new GroupCommit(pool, undefined);
    const prefix = `raise${bad}-`;
    const puts = Array.from({ length: 5 }, (_, n) =>
      group.put(`${prefix}${n}`, insert(`${prefix}${n}`, n === bad ? -1 : n)),
    );
    const settled = await Promise.allSettled(puts);
    expect(settled.map(({ status }) => status)).toEqual(settled.map((_, n) => (n === bad ? "rejected" : "fulfilled")));
    expect((await rowsOf(prefix)).map(({ n }) => n).toSorted()).toEqual([0, 1, 2, 3, 4].filter((n) => n !== bad));
  },
);

test("a large statement goes alone, and those queued with it do not wait for it", async () => {
  const group = new GroupCommit(pool, undefined);
  const large = {
    name: "",
    text: "INSERT INTO put (key, n) SELECT 'l-large', length($1)",
    values: ["x".repeat(100_000)],
  };
  await Promise.all([group.put("l-large", large), group.put("l-small", insert("l-small", 1))]);
  const rows = await rowsOf("l-");
  expect(rows.map(({ key }) => key).toSorted()).toEqual(["l-large", "l-small"]);
  expect(new Set(rows.map(({ tx }) => tx)).size).toBe(2);
});

test("more than fit into one transaction go in several, and none is left", async () => {
  const group = new GroupCommit(pool, undefined);
  const keys = Array.from({ length: 300 }, (_, n) => `many-${String(n).padStart(3, "0")}`);
  await Promise.all(keys.map((key, n) => group.put(key, insert(key, n))));
  const rows = await rowsOf("many-");
  expect(rows).toHaveLength(300);
  expect(new Set(rows.map(({ tx }) => tx)).size).toBeLessThan(30);
});

/** Locks the rows of these keys while the work runs, like an operator with an open transaction. */
async function withLocked(keys: string[], work: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query("SELECT 1 FROM put WHERE key = ANY ($1) FOR UPDATE", [keys]);
    await work();
  } finally {
    await client.query("ROLLBACK");
    client.release();
  }
}

const raise = (key: string) => ({
  name: "raise",
  text: "UPDATE put SET n = n + 1 WHERE key = $1 RETURNING n",
  values: [key],
});

test("a locked row delays only its own statements", async () => {
  const engine = new pg.Pool({ connectionString: database.url, max: 5 });
  const group = new GroupCommit(engine, undefined, 20);
  const keys = Array.from({ length: 12 }, (_, n) => `lock-${String(n).padStart(2, "0")}`);
  await Promise.all(keys.map((key) => group.put(key, insert(key, 0))));
  const [locked, alsoLocked, ...free] = keys as [string, string, ...string[]];
  const states = new Map<string, string>();
  const put = (key: string, name = key) =>
    group.put(key, raise(key)).then((rows) => void states.set(name, JSON.stringify(rows)));
  const waiting: Promise<void>[] = [];
  await withLocked([locked, alsoLocked], async () => {
    // One by itself, one in the middle of a group, and more for the same rows, so that none of them may block others.
    waiting.push(put(locked), put(alsoLocked));
    await Promise.all(free.map((key) => put(key)));
    for (let n = 0; n < 6; n += 1) waiting.push(put(locked, `again-${n}`));
    await Promise.all(free.map((key) => put(key)));
    expect([...states.keys()].toSorted()).toEqual(free);
    expect(free.map((key) => states.get(key))).toEqual(free.map(() => '[{"n":2}]'));
  });
  await Promise.all(waiting);
  expect(states.get(alsoLocked)).toBe('[{"n":1}]');
  const { rows } = await pool.query("SELECT n FROM put WHERE key = $1", [locked]);
  expect(rows).toEqual([{ n: 7 }]);
  await engine.end();
});

test("statements that wait alone for locked rows leave both lanes to others", async () => {
  const engine = new pg.Pool({ connectionString: database.url, max: 6 });
  const group = new GroupCommit(engine, undefined, 20);
  const keys = ["single-a", "single-b", "single-c", "single-d"];
  await Promise.all(keys.map((key) => group.put(key, insert(key, 0))));
  const free = "single-d";
  await withLocked(["single-a", "single-b", "single-c"], async () => {
    const waiting: Promise<unknown>[] = [];
    for (const key of keys.slice(0, 3)) {
      waiting.push(group.put(key, raise(key)));
      // Each is sent by itself: the next one is queued after the previous batch was sent.
      await new Promise(setImmediate);
    }
    expect(await group.put(free, raise(free))).toEqual([{ n: 1 }]);
    void Promise.all(waiting);
  });
  await engine.end();
});
