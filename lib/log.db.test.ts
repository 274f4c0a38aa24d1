import pg from "pg";
import pino from "pino";
import { afterEach, expect, test } from "vitest";
import { KimitsuError } from "@/lib/errors";
import { logOptions } from "@/lib/log";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
const kept = globalThis as { __kimitsuCleanLine?: (line: string) => string };
afterEach(() => void delete kept.__kimitsuCleanLine);

function logged(...all: unknown[]): string {
  let text = "";
  const log = pino({ ...logOptions, level: "info" }, { write: (line) => void (text += line) });
  for (const err of all) log.error({ err }, "failed");
  return text;
}

const thrownBy = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable("nothing was refused"),
    (error: unknown) => error,
  );

test("a row that the database refuses is in no log line, whoever queried the database", async () => {
  const value = "SENTINEL-Row-Value";
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const plain = await thrownBy(
    client.query(
      "INSERT INTO users (id, email, name, role, created_at, updated_at) VALUES ('usr_1', $1, 'n', 'admin', now(), now())",
      [value],
    ),
  );
  await client.end();
  const byPrisma = await thrownBy(database.db.user.create({ data: { id: "usr_2", email: value, name: "n" } }));
  // Otherwise there would be nothing to hide.
  expect([JSON.stringify(plain), JSON.stringify(byPrisma)]).toEqual([
    expect.stringContaining(value),
    expect.stringContaining(value),
  ]);
  const text = logged(
    plain,
    byPrisma,
    new KimitsuError("internal", "It failed.", { cause: plain }),
    new AggregateError([plain], "several"),
  );
  expect(text).not.toContain(value);
  const lines = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { err: object });
  expect(lines[0]!.err).toMatchObject({
    type: "DatabaseError",
    code: "23514",
    constraint: "users_email_lower",
    table: "users",
    message: expect.stringContaining("violates check constraint"),
    stack: expect.any(String),
  });
  expect(lines[1]!.err).toMatchObject({ type: "PrismaClientKnownRequestError", code: "P2039" });
  expect(lines[2]!.err).toMatchObject({
    type: "KimitsuError",
    code: "internal",
    cause: { code: "23514", table: "users" },
  });
  expect(lines[3]!.err).toMatchObject({ type: "AggregateError", errors: [{ code: "23514" }] });
});

test("an error keeps the details meant for the log, and circular causes end", () => {
  const circle = new KimitsuError("tool_failed", "outer", { details: { server: "crm" } });
  circle.cause = circle;
  expect(JSON.parse(logged(circle))).toMatchObject({
    err: { message: "outer", details: { server: "crm" }, cause: { cause: { message: "outer" } } },
  });
  expect(JSON.parse(logged("only a text"))).toMatchObject({ err: "only a text" });
  expect(JSON.parse(logged({ row: "value" }))).toMatchObject({ err: { type: "object" } });
});

test("a known secret is removed from a whole line, message and stack included", () => {
  kept.__kimitsuCleanLine = (line) => line.replaceAll("hunter2-hunter2", "[secret]");
  const text = logged(new Error("login with hunter2-hunter2 failed"));
  expect(text).toContain("login with [secret] failed");
  expect(text).not.toContain("hunter2");
});
