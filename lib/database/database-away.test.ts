import { expect, test } from "vitest";
import { isDatabaseAway } from "@/lib/database/database-away";

const driver = (cause: object) =>
  Object.assign(new Error("Raw query failed."), { meta: { driverAdapterError: { cause } } });

test.each([
  ["nobody listens", driver({ kind: "DatabaseNotReachable" })],
  ["the server stops", driver({ kind: "postgres", originalCode: "57P01" })],
  ["the server starts", driver({ kind: "postgres", originalCode: "57P03" })],
  ["the connection broke", driver({ kind: "postgres", originalCode: "08006" })],
  ["it takes no writes", driver({ kind: "postgres", originalCode: "25006" })],
  ["it took no writes earlier in the transaction", driver({ kind: "postgres", originalCode: "25P02" })],
  [
    "the driver without Prisma says so",
    Object.assign(new Error("cannot execute UPDATE in a read-only transaction"), { code: "25006" }),
  ],
  ["a transaction was closed in which nothing happened for too long", driver({ originalCode: "25P03" })],
  ["its connection broke before", new Error("Client has encountered a connection error and is not queryable")],
  ["the driver only says so", new Error("Connection terminated unexpectedly")],
])("the database is away when %s", (_, error) => expect(isDatabaseAway(error)).toBe(true));

test.each([
  ["a rule was broken", driver({ kind: "UniqueConstraintViolation", originalCode: "23505" })],
  ["a statement is wrong", driver({ kind: "postgres", originalCode: "42702" })],
  ["it is no error", "57P01"],
])("it is not when %s", (_, error) => expect(isDatabaseAway(error)).toBe(false));
