import { readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { engineDeps } from "@/lib/database/deps";
import { readMetrics } from "@/lib/runs/read-metrics";
import { startRun } from "@/lib/runs/start-run";
import { connect } from "@/lib/database/client";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { GET } from "./route";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
beforeAll(async () => {
  bench = await openApiBench(database);
  token = (await bench.login("viewer")).token;
});

const root = path.resolve(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(path.join(root, file), "utf8");
const scrape = async () => String((await ask(GET, "/metrics", { token })).body);
const valueOf = (text: string, series: string) =>
  Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1),
  );
const exported = (text: string) =>
  [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }));

/** Every metric name that is exported to Prometheus. */
const seriesOf = (text: string) =>
  new Set(
    exported(text).flatMap(({ name, type }) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
    ),
  );

describe("200", () => {
  test(
    verifies(
      "operations:metrics",
      "a scrape counts a run from its start through its question and its calls to its end",
    ),
    async () => {
      const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
      const queued = await scrape();
      expect([
        valueOf(queued, 'kimitsu_runs_open{status="pending"}'),
        valueOf(queued, "kimitsu_runs_due"),
        valueOf(queued, 'kimitsu_runs_started_total{workflow="main"}'),
      ]).toEqual([1, 1, 1]);
      await bench.advance(runId);
      const [approval] = await bench.pendingOf(runId);
      const waiting = await scrape();
      expect([
        valueOf(waiting, 'kimitsu_runs_open{status="pending_approval"}'),
        valueOf(waiting, "kimitsu_runs_due"),
        valueOf(waiting, `kimitsu_approvals_pending{danger="${approval!.danger}"}`),
      ]).toEqual([1, 0, 1]);
      const { user } = await bench.login("reviewer");
      await decideApproval(
        bench.deps,
        { userId: user.id, role: "reviewer", groups: [], actor: user.actor, tokenId: null },
        { approvalId: approval!.id, verdict: "approved" },
      );
      await bench.advance(runId);
      const after = await scrape();
      const turns = await database.db.turn.aggregate({
        where: { runId },
        _sum: { tokensIn: true, tokensOut: true, costUsd: true },
        _count: true,
      });
      expect({
        open: valueOf(after, 'kimitsu_runs_open{status="pending_approval"}'),
        settled: valueOf(after, 'kimitsu_runs_settled_total{workflow="main",status="complete"}'),
        decided: valueOf(after, 'kimitsu_approval_wait_seconds_count{outcome="approved"}'),
        called: valueOf(after, 'kimitsu_tool_call_duration_seconds_count{server="recorder",outcome="succeeded"}'),
        turns: valueOf(after, 'kimitsu_model_turn_duration_seconds_count{model="test/m",outcome="succeeded"}'),
        tokensIn: valueOf(after, 'kimitsu_model_tokens_total{model="test/m",direction="in"}'),
        tokensOut: valueOf(after, 'kimitsu_model_tokens_total{model="test/m",direction="out"}'),
      }).toEqual({
        open: 0,
        settled: 1,
        decided: 1,
        called: 2,
        turns: turns._count,
        tokensIn: turns._sum.tokensIn,
        tokensOut: turns._sum.tokensOut,
      });
      expect(valueOf(after, 'kimitsu_model_cost_usd_total{model="test/m"}')).toBeCloseTo(Number(turns._sum.costUsd), 9);
      expect(
        valueOf(after, 'kimitsu_database_connections{state="idle"}') +
          valueOf(after, 'kimitsu_database_connections{state="busy"}'),
      ).toBeGreaterThan(0);
    },
  );

  test(
    verifies(
      "operations:metrics",
      "without its database a process still gives its own figures, and no old ones of the database",
    ),
    async () => {
      const away = connect("postgresql://nobody@127.0.0.1:1/none", 2);
      const { text } = await readMetrics({ ...engineDeps(), db: away });
      await away.$disconnect();
      expect(valueOf(text, "kimitsu_database_up")).toBe(0);
      expect(text).toMatch(/^kimitsu_process_resident_memory_bytes \d/m);
      expect(text).not.toMatch(/^kimitsu_(runs_open|runs_due|leases|approvals_pending|workers_alive)/m);
      expect(valueOf(await scrape(), "kimitsu_database_up")).toBe(1);
    },
  );

  test(
    verifies(
      "operations:dashboard",
      "the dashboard and the guide name only what is exported, and the guide names all of our own",
    ),
    async () => {
      const text = await scrape();
      const series = seriesOf(text);
      const dashboard = JSON.parse(read("docs/operations/grafana-dashboard.json")) as {
        panels: { targets?: { expr: string }[] }[];
      };
      const asked = dashboard.panels.flatMap((panel) =>
        (panel.targets ?? []).flatMap(({ expr }) => expr.match(/kimitsu_[a-z0-9_]+/g) ?? []),
      );
      expect(asked.length).toBeGreaterThan(20);
      expect(asked.filter((name) => !series.has(name))).toEqual([]);
      const names = exported(text).map(({ name }) => name);
      const own = names.filter((name) => !/^kimitsu_(process|nodejs)_/.test(name));
      const written = [...new Set(read("docs/operations.md").match(/kimitsu_[a-z0-9_]+/g) ?? [])];
      expect(own.filter((name) => !written.includes(name))).toEqual([]);
      expect(written.filter((name) => !names.includes(name) && !series.has(name) && !name.endsWith("_"))).toEqual([]);
    },
  );
});

test("401 without a token", async () => {
  expect((await ask(GET, "/metrics", {})).status).toBe(401);
});
