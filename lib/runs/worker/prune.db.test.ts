import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { useDatabase } from "@/lib/testing/database";
import { prune } from "@/lib/runs/worker/start-worker";

const database = useDatabase();

test(
  verifies("operations:prune", "expired answers are deleted, however many, and those that may still be requested stay"),
  async () => {
    const at = new Date("2026-11-16T12:00:00Z");
    const key = (index: number, expiresAt: Date) => ({
      principal: "usr_1",
      key: `key-${index}`,
      requestDigest: "d",
      status: 202,
      response: {},
      createdAt: at,
      expiresAt,
    });
    const over = Array.from({ length: 250 }, (_, index) => key(index, new Date(at.getTime() - index)));
    const live = [key(1000, new Date(at.getTime() + 1))];
    await database.db.idempotencyKey.createMany({ data: [...over, ...live] });
    await prune(at);
    expect((await database.db.idempotencyKey.findMany()).map((row) => row.key)).toEqual(["key-1000"]);
  },
);
