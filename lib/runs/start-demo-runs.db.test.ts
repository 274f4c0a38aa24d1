import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { listProjectFiles } from "@/lib/config/project-files";
import { type ShopServer, startShopServer } from "@/lib/demo/shop-server";
import { openShopStore } from "@/lib/demo/shop-store";
import { startDemoRuns } from "@/lib/runs/start-demo-runs";
import { useDatabase } from "@/lib/testing/database";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { openRunBench } from "@/lib/testing/run-bench";

const database = useDatabase();
afterEach(releaseAll);

let shop: ShopServer;
beforeAll(
  async () =>
    void (shop = await startShopServer({ port: 0, apiKey: "demo-shop-key", store: openShopStore(undefined) })),
);
afterAll(() => shop.close());

/** A process of the demo, whose shop has its own port. */
function openDemo() {
  const root = path.resolve(import.meta.dirname, "../../kimitsu");
  const files = listProjectFiles(root).files.map(
    ({ file }) => [file, readFileSync(path.join(root, file), "utf8").replaceAll(":4100/", `:${shop.port}/`)] as const,
  );
  return openRunBench(database, Object.fromEntries(files));
}

test(
  verifies(
    "demo:first-runs",
    "two processes start one set of runs; some wait, some are complete, exactly one has failed, and a later start adds none",
  ),
  async () => {
    const [first, second] = [await openDemo(), await openDemo()];
    const held = holdAt("start-run:before-commit", { first: 1 });
    const started = startDemoRuns(first.deps);
    await held.reached();
    expect(await startDemoRuns(second.deps)).toBe(0);
    held.release();
    expect(await started).toBe(5);

    const rows = await database.db.run.findMany({ orderBy: { id: "asc" } });
    expect(rows.map(({ startedByKind, startedByName }) => [startedByKind, startedByName])).toEqual(
      rows.map(() => ["system", "Demo"]),
    );
    for (const { id } of rows) await first.advance(id);
    const runs = await database.db.run.findMany({ include: { approvals: true }, orderBy: { id: "asc" } });
    const count = (status: string) => runs.filter((run) => run.status === status).length;
    expect(count("pending_approval")).toBeGreaterThan(0);
    expect(count("complete")).toBeGreaterThan(0);
    expect(runs.filter((run) => run.status === "failed").map(({ params }) => params)).toEqual([{ ticket_id: "T-318" }]);
    expect(
      runs
        .filter((run) => run.status === "pending_approval")
        .every(({ approvals }) => approvals.some(({ status }) => status === "pending")),
    ).toBe(true);
    expect(count("pending_approval") + count("complete") + count("failed")).toBe(5);
    expect(await startDemoRuns(first.deps)).toBe(0);
    expect(await database.db.run.count()).toBe(5);
  },
);
