/** The person who started a run does not accept what its agents submitted for review, unless the rules allow it. */
import { describe, expect, test } from "vitest";
import { POST as RETRY } from "@/app/runs/[runId]/retry/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { createToken } from "@/lib/people/create-token";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { sessionCookie, TEST_ORIGIN } from "@/lib/testing/requests";
import { GET } from "../route";
import { POST } from "./route";

const database = useDatabase();
const ASKS = { script: "agents:\n  worker:\n    turns:\n      - output: { ktsu_needs_human: true, answer: 42 }\n" };

async function waiting(facts: Parameters<typeof openApiBench>[1] = {}) {
  const bench = await openApiBench(database, { ...ASKS, ...facts });
  const starter = await bench.login("operator");
  const runId = (await ask(START, "/runs", { method: "POST", token: starter.token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  const accept = (by: object, accepted = true, id = runId) =>
    ask(POST, "/x", { method: "POST", body: { accepted }, ...by }, { runId: id });
  const read = async (id = runId) => (await ask(GET, "/x", { token: starter.token }, { runId: id })).body;
  return { bench, starter, runId, accept, read };
}

const AGENT = (own: boolean) => ({ agent: `permissions: { self_approval: ${own} }\n` });
const POLICY = (own: boolean) => ({ files: { "policy.yaml": `permissions: { self_approval: ${own} }\n` } });

describe(verifies("run:review:own", "starters do not accept their own answers"), () => {
  test("403 by the token that started it, by another token of the same person, and by their session; nothing changes", async () => {
    const { bench, starter, accept, read } = await waiting();
    const { token } = await createToken(bench.deps, starter.user.actor, {
      name: "another",
      userId: starter.user.id,
      scopes: ["approvals:decide"],
    });
    const ways = [
      { token: starter.token },
      { token },
      { cookie: await sessionCookie(starter.user), origin: TEST_ORIGIN },
    ];
    for (const way of ways) {
      const { status, body } = await accept(way);
      expect([status, body.error?.message]).toEqual([
        403,
        expect.stringMatching(
          /started.*cannot accept.*any reviewer who did not start the run can.*Nothing was changed/s,
        ),
      ]);
    }
    expect(await read()).toMatchObject({ status: "needs_human_review" });
  });

  test("they may refuse it, which ends the run as they could anyway", async () => {
    const { bench, starter, runId, accept, read } = await waiting();
    expect((await accept({ token: starter.token }, false)).status).toBe(200);
    await bench.advance(runId);
    expect((await read()).status).toBe("failed");
  });

  test("someone else accepts it", async () => {
    const { bench, runId, accept, read } = await waiting();
    expect((await accept({ token: (await bench.login("reviewer")).token })).status).toBe(200);
    await bench.advance(runId);
    expect((await read()).status).toBe("complete");
  });

  test("a retry by someone else still counts as the first starter's, and as the other's own too", async () => {
    const { bench, starter, runId, accept } = await waiting();
    await accept({ token: starter.token }, false);
    await bench.advance(runId);
    const other = await bench.login("operator");
    const again = (await ask(RETRY, "/x", { method: "POST", token: other.token, body: {} }, { runId })).body
      .run_id as string;
    await bench.advance(again);
    expect((await accept({ token: starter.token }, true, again)).status).toBe(403);
    expect((await accept({ token: other.token }, true, again)).status).toBe(403);
    expect((await accept({ token: (await bench.login("reviewer")).token }, true, again)).status).toBe(200);
  });

  test.each([
    ["the agent says self_approval: true", AGENT(true), 200],
    ["policy.yaml says self_approval: true", POLICY(true), 200],
    ["policy.yaml says true and the agent false", { ...POLICY(true), ...AGENT(false) }, 403],
  ])("where %s", async (_what, facts, status) => {
    const { starter, accept } = await waiting(facts);
    expect((await accept({ token: starter.token })).status).toBe(status);
  });
});
