import { describe, expect, test } from "vitest";
import { cancelRun } from "@/lib/runs/cancel-run";
import { reviewStep } from "@/lib/runs/review-step";
import { settleCall } from "@/lib/runs/settle-call";
import { listPersonActs } from "@/lib/runs/queries/list-person-acts";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const UNKNOWN = {
  script:
    "agents:\n  worker:\n    turns:\n      - call: [{ tool: drop-after, arguments: { n: 1 } }]\n    otherwise: { output: {} }\n",
  allowlist: "- drop-after",
};
const REVIEW = {
  script: "agents:\n  worker:\n    turns:\n      - output: { ktsu_needs_human: look, refund: 35 }\n",
  allowlist: "- echo",
};

describe("what people did to a run", () => {
  test("shows who settled a call and who cancelled, newest first, with their reasons; for a token its person", async () => {
    const bench = await openEngineBench(database, UNKNOWN);
    const [ana, ben] = [
      await buildUser(bench.deps, "operator", { name: "Ana" }),
      await buildUser(bench.deps, "operator", { name: "Ben" }),
    ];
    const runId = await bench.launch();
    expect(await listPersonActs(database.db, runId)).toEqual([]);
    const { id: callId } = await database.db.call.findFirstOrThrow({ where: { runId } });
    await settleCall(
      bench.deps,
      { kind: "token", id: "tok_books", name: "books", userId: ben.id },
      { callId, outcome: "did_not_happen", comment: "Not in the books\u200B" },
    );
    await bench.advance(runId);
    await cancelRun(bench.deps, ana.actor, { runId, reason: "Asked for twice" });
    const at = expect.any(Date);
    expect(await listPersonActs(database.db, runId)).toEqual([
      { kind: "cancelled", by: { kind: "user", name: "Ana", person: null }, at, said: "Asked for twice" },
      {
        kind: "settled",
        by: { kind: "token", name: "books", person: "Ben" },
        at,
        said: "Not in the books⟨U+200B⟩",
        callId,
        tool: expect.stringMatching(/\.drop-after$/),
        to: "approved",
      },
    ]);
  });

  test("shows who accepted an answer, of which step, and leaves the reason empty where none was given", async () => {
    const bench = await openEngineBench(database, REVIEW);
    const cleo = await buildUser(bench.deps, "reviewer", { name: "Cleo" });
    const runId = await bench.launch();
    await reviewStep(bench.deps, cleo.actor, { runId, accepted: true });
    const { id: stepId } = await database.db.step.findFirstOrThrow({ where: { runId } });
    expect(await listPersonActs(database.db, runId)).toEqual([
      {
        kind: "reviewed",
        by: { kind: "user", name: "Cleo", person: null },
        at: expect.any(Date),
        said: null,
        stepId,
        rootStepId: stepId,
        step: "work",
        accepted: true,
      },
    ]);
  });

  test("names a nested step by its position: the item of a fan-out, and the pipeline step that it belongs to", async () => {
    const workflow =
      'kind: workflow\nname: main\nparams: { schema: { type: object, properties: { list: { type: array } } } }\npipeline:\n  - id: each\n    agent: ./agents/worker.agent.yaml\n    for_each: { from: "{{ params.list }}" }\n';
    const bench = await openEngineBench(database, { ...REVIEW, workflow });
    const cleo = await buildUser(bench.deps, "reviewer", { name: "Cleo" });
    const runId = await bench.launch({ list: [1, 2] });
    const waiting = await database.db.step.findMany({
      where: { runId, status: "needs_human_review" },
      orderBy: { itemIndex: "asc" },
    });
    expect(waiting).toHaveLength(2);
    await reviewStep(bench.deps, cleo.actor, { runId, accepted: false, stepId: waiting[1]!.id, comment: "Too much" });
    expect(await listPersonActs(database.db, runId)).toMatchObject([
      {
        kind: "reviewed",
        accepted: false,
        said: "Too much",
        step: "each, item 2",
        stepId: waiting[1]!.id,
        rootStepId: waiting[1]!.parentId,
      },
    ]);
  });
});
