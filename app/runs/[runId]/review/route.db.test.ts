import { beforeAll, describe, expect, test } from "vitest";
import { POST as START } from "@/app/runs/route";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { GET } from "../route";
import { POST } from "./route";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let token: string;
let reviewer: string;
beforeAll(async () => {
  bench = await openApiBench(database, {
    script: "agents:\n  worker:\n    turns:\n      - output: { ktsu_needs_human: true, answer: 42 }\n",
  });
  token = (await bench.login("operator")).token;
  reviewer = (await bench.login("reviewer")).token;
});

async function waiting() {
  const runId = (await ask(START, "/runs", { method: "POST", token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  expect((await read(runId)).status).toBe("needs_human_review");
  return runId;
}
const read = async (runId: string) => (await ask(GET, "/x", { token }, { runId })).body;
const review = (runId: string, body: unknown, own = reviewer) =>
  ask(POST, "/x", { method: "POST", token: own, body }, { runId });

describe("200", () => {
  test("an accepted output is the step's, and the run goes on", async () => {
    const runId = await waiting();
    expect((await review(runId, { accepted: true, comment: "right" })).status).toBe(200);
    await bench.advance(runId);
    expect(await read(runId)).toMatchObject({ status: "complete", steps: [{ output: { answer: 42 } }] });
  });

  test("an output that is not accepted ends the run", async () => {
    const runId = await waiting();
    await review(runId, { accepted: false });
    await bench.advance(runId);
    expect((await read(runId)).status).toBe("failed");
  });
});

test("the envelope shows the answer with its digest, and with that a review holds for this answer only", async () => {
  const runId = await waiting();
  const [shown] = (await read(runId)).pending_reviews;
  expect(shown).toMatchObject({
    step_id: expect.stringMatching(/^step_/),
    step: "work",
    output: { answer: 42 },
    digest: expect.stringMatching(/^sha256:/),
  });
  const other = await review(runId, { accepted: true, step_id: shown.step_id, digest: `sha256:${"0".repeat(64)}` });
  expect([other.status, other.body.error.message]).toEqual([409, expect.stringContaining("is not the one you saw")]);
  expect((await review(runId, { accepted: true, digest: shown.digest })).status).toBe(200);
  expect((await read(runId)).pending_reviews).toEqual([]);
});

describe("refusals", () => {
  test("409 for a second review, 404 for an unknown run, 403 for a viewer, 422 without a verdict", async () => {
    const runId = await waiting();
    await review(runId, { accepted: true });
    expect((await review(runId, { accepted: false })).status).toBe(409);
    expect((await review("run_none", { accepted: true })).status).toBe(404);
    expect((await review(runId, { accepted: true }, (await bench.login("viewer")).token)).status).toBe(403);
    expect((await review(runId, {})).body.error.issues).toEqual([expect.objectContaining({ path: "body.accepted" })]);
  });
});
