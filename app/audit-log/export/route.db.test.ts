import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { GET as EXPORT_RUNS } from "@/app/runs/export/route";
import { verifies } from "@/e2e/requirements";
import { startRun } from "@/lib/runs/start-run";
import { openApiBench } from "@/lib/testing/api-bench";
import { openCountingLine } from "@/lib/testing/counting-line";
import { useDatabase } from "@/lib/testing/database";
import { testRequest, withParams } from "@/lib/testing/requests";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { seedPaused } from "@/lib/testing/seed-paused";
import { GET } from "./route";

const RUNS = 2_000;

const database = useDatabase();
let ana: string;
let bea: string;
beforeAll(async () => {
  const bench = await openApiBench(database, {
    script:
      "agents: { worker: { turns: [{ say: I act., call: [{ tool: t-none, arguments: { text: act } }] }, { output: { done: true } }] } }\n",
  });
  ana = (await bench.login("admin")).token;
  bea = (await bench.login("admin")).token;
  const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
  await bench.advance(runId);
  await seedPaused(database.url, runId, RUNS - 1);
});

const opened: Response[] = [];
afterEach(
  async () =>
    void (await Promise.all(
      opened.splice(0).map((response) => (response.body?.locked ? undefined : response.body?.cancel())),
    )),
);

async function open(handler: typeof GET, path: string, token: string, method = "GET"): Promise<Response> {
  const response = await handler(testRequest(path, { token, method }), withParams({}));
  opened.push(response);
  return response;
}
const openTrail = (token: string, method?: string) => open(GET, "/audit-log/export", token, method);
const openRuns = (token: string) => open(EXPORT_RUNS, "/runs/export?format=csv", token);

describe(
  verifies("http:exports", "429 for the third simultaneous export of a person, of either kind, with Retry-After"),
  () => {
    test("others are not affected, and one that was read to its end, or whose reader left, frees a slot", async () => {
      const [trail, runs] = [await openTrail(ana), await openRuns(ana)];
      expect([trail.status, runs.status]).toEqual([200, 200]);
      const refused = await openTrail(ana);
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "10"]);
      expect(await refused.json()).toEqual({
        error: {
          code: "rate_limited",
          message: expect.stringContaining("2 exports"),
          request_id: expect.any(String),
          issues: [],
        },
      });
      expect((await openTrail(bea)).status).toBe(200);

      expect((await trail.text()).trim().split("\n").length).toBeGreaterThan(3);
      expect((await openTrail(ana)).status).toBe(200);
      expect((await openRuns(ana)).status).toBe(429);
      await runs.body!.cancel();
      expect((await openRuns(ana)).status).toBe(200);
    });

    test("a HEAD request takes no slot", async () => {
      for (let count = 0; count < 3; count++) expect((await openTrail(ana, "HEAD")).status).toBe(200);
      expect((await openTrail(ana)).status).toBe(200);
    });

    test("one that is cut off frees a slot", async () => {
      const line = await openCountingLine(database.url);
      Object.assign(globalThis, { __kimitsuDb: line.db });
      const broken = [await openRuns(ana), await openRuns(ana)];
      Object.assign(globalThis, { __kimitsuDb: database.db });
      await line.close();
      for (const response of broken) await expect(response.text()).rejects.toThrow();
      expect((await openRuns(ana)).status).toBe(200);
    });
  },
);

test(verifies("http:exports", "an export is read from the database as its reader takes it"), async () => {
  const line = await openCountingLine(database.url);
  Object.assign(globalThis, { __kimitsuDb: line.db });
  const reader = (await openRuns(ana)).body!.getReader();
  const readPiece = () => reader.read();
  const first = await line.during(readPiece);
  const rest = await line.during(async () => {
    while (!(await readPiece()).done);
  });
  expect(rest).toBeGreaterThan(2 * first);
  Object.assign(globalThis, { __kimitsuDb: database.db });
  await line.close();
});
