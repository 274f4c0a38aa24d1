import { expect, test } from "vitest";
import { useDatabase } from "@/lib/testing/database";
import { USUAL_TYPES } from "./list-events";

const database = useDatabase();

test("what the index events_by_type leaves out is what the query calls usual; with another list an event would not be found, or not soon", async () => {
  const [index] = await database.db.$queryRaw<{ predicate: string }[]>`
    SELECT pg_get_expr(indpred, indrelid) AS predicate FROM pg_index WHERE indexrelid = 'events_by_type'::regclass`;
  expect(index?.predicate).toMatch(/^\(?type <> ALL /);
  expect([...index!.predicate.matchAll(/'([^']+)'/g)].map(([, type]) => type)).toEqual(USUAL_TYPES);
});
