import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GET as ONE_APPROVAL } from "@/app/approvals/[approvalId]/route";
import { GET as APPROVALS } from "@/app/approvals/route";
import { GET as AUDIT } from "@/app/audit-log/route";
import { GET as RUN_EVENTS } from "@/app/runs/[runId]/events/route";
import { GET as EXPORT } from "@/app/runs/export/route";
import { GET as RUNS } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { startRun } from "@/lib/runs/start-run";
import { listDecided } from "@/lib/approvals/queries/list-decided";
import { listHistory } from "@/lib/runs/queries/list-history";
import { listInbox } from "@/lib/approvals/queries/list-inbox";
import { listRunApprovals } from "@/lib/approvals/queries/list-run-approvals";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { type CountingLine, openCountingLine } from "@/lib/testing/counting-line";
import { useDatabase } from "@/lib/testing/database";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { twoCallsProject } from "@/lib/testing/two-calls";

const RUNS_MADE = 6;
/** Size of what each run was started with, of what it asks for, and of what it returns. */
const LARGE = 300_000;
/** A single large value exceeds this. */
const READ_MAX = 200_000;

const database = useDatabase();
let line: CountingLine;
let token: string;
let runIds: string[];
let reviewerId: string;

beforeAll(async () => {
  const tag = "x".repeat(LARGE);
  const { "servers/recorder.server.yaml": _other, ...files } = twoCallsProject("http://127.0.0.1:1/mcp");
  const bench = await openApiBench(database, { files });
  const { user } = await bench.login("reviewer");
  reviewerId = user.id;
  token = (await bench.login("admin")).token;
  runIds = [];
  for (let count = 0; count < RUNS_MADE; count++) {
    const { runId } = await startRun(bench.deps, { workflow: "main", params: { tag }, actor: TEST_ACTOR });
    await bench.advance(runId);
    runIds.push(runId);
  }
  // Half of them run to their end, so that there are outputs and decisions too.
  for (const runId of runIds.slice(0, RUNS_MADE / 2)) {
    const [approval] = await bench.pendingOf(runId);
    await decideApproval(
      bench.deps,
      { userId: user.id, role: "reviewer", groups: [], actor: user.actor, tokenId: null },
      { approvalId: approval!.id, verdict: "approved" },
    );
    await bench.advance(runId);
  }
  // Lists fold what is not projected yet; here everything is.
  await database.db.call.count();
  line = await openCountingLine(database.url);
});
afterAll(() => line.close());

const get =
  (handler: typeof RUNS, path: string, params: Record<string, string> = {}) =>
  async () => {
    Object.assign(globalThis, { __kimitsuDb: line.db });
    try {
      const { status, body } = await ask(handler, path, { token }, params);
      expect(status).toBe(200);
      expect(JSON.stringify(body).length).toBeLessThan(READ_MAX);
      return body as unknown;
    } finally {
      Object.assign(globalThis, { __kimitsuDb: database.db });
    }
  };

describe(
  verifies("lists:bounded", "however large the values of a run are, a list reads from the database what it shows"),
  () => {
    const reader = () => ({ userId: reviewerId, role: "reviewer" as const, groups: [] });
    const LISTS: Record<string, () => Promise<unknown>> = {
      "GET /runs": get(RUNS, "/runs"),
      "GET /runs/export": get(EXPORT, "/runs/export?format=csv"),
      "GET /approvals": get(APPROVALS, "/approvals"),
      "GET /audit-log": get(AUDIT, "/audit-log?limit=200"),
      "GET /runs/{id}/events": () =>
        get(RUN_EVENTS as typeof RUNS, `/runs/${runIds[0]}/events`, { runId: runIds[0]! })(),
      History: () => listHistory(line.db, { now: new Date() }),
      "the inbox": () => listInbox(line.db, reader(), { sort: "age" }),
      "what was decided last": () => listDecided(line.db),
      "the questions of a run": () => listRunApprovals(line.db, { runId: runIds[0]!, fingerprint: String }),
    };
    test.each(Object.keys(LISTS))("%s", async (name) => {
      const work = LISTS[name]!;
      // The first time also asks the database for its types.
      await work();
      expect(await line.during(work)).toBeLessThan(READ_MAX);
    });
  },
);

test(
  verifies(
    "lists:bounded",
    "arguments left out of a list are marked as such, and are complete where one approval is read",
  ),
  async () => {
    const { items } = (await get(APPROVALS, "/approvals?status=pending")()) as {
      items: { approval_id: string; arguments: unknown; arguments_omitted: boolean }[];
    };
    expect(items).toHaveLength(RUNS_MADE / 2);
    expect(items[0]).toMatchObject({ arguments: null, arguments_omitted: true });
    const approvalId = items[0]!.approval_id;
    const one = await ask(ONE_APPROVAL, `/approvals/${approvalId}`, { token }, { approvalId });
    expect(one.body).toMatchObject({ arguments: { tag: "x".repeat(LARGE) }, arguments_omitted: false });
  },
);

test(verifies("lists:bounded", "the current rules are applied to arguments that a list leaves out, too"), async () => {
  const files = twoCallsProject("http://127.0.0.1:1/mcp");
  const agent = files["agents/worker.agent.yaml"]!.replace(
    "{ on_reject: recover }",
    "{ on_reject: recover, min_approvals: 2 }",
  );
  // Opened for its project alone: from here on it is the current one.
  await openApiBench(database, { files: { ...files, "agents/worker.agent.yaml": agent } });
  const { items } = (await get(APPROVALS, "/approvals?status=pending")()) as {
    items: { stricter_now: unknown; arguments_omitted: boolean }[];
  };
  expect(items.map((item) => [item.arguments_omitted, item.stricter_now])).toEqual(
    items.map(() => [true, expect.objectContaining({ refused: null, min_approvals: 2 })]),
  );
});
