import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { cancelRun } from "@/lib/runs/cancel-run";
import { listAbouts } from "@/lib/runs/queries/list-abouts";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();
const WORKFLOW = `kind: workflow
name: main
params: { schema: { type: object, properties: { order: { type: string }, message: { type: string }, key: { type: string, secret: true }, lines: { type: array }, note: { type: string } } } }
pipeline:
  - id: work
    agent: ./agents/worker.agent.yaml
`;
const PARAMS = {
  message: `The parcel\nnever\u200B came, ${"please look ".repeat(30)}`,
  order: "A-1042",
  key: "a-secret-that-stays",
  lines: [{ sku: 7 }],
  note: "",
};
const callOf = (tool: string, more = "") =>
  `agents:\n  worker:\n    turns:\n      - call: [{ tool: ${tool}, arguments: { text: act } }${more}]\n    otherwise: { output: {} }\n`;

async function aboutOf(runId: string): Promise<string | undefined> {
  const { id, status } = await database.db.run.findUniqueOrThrow({ where: { id: runId } });
  return (await listAbouts(database.db, [{ id, status }])).get(id);
}

test(
  verifies(
    "history:about",
    "a run that waits for nobody is described by its params: short values first, on one line, no hidden characters and no secret",
  ),
  async () => {
    const bench = await openEngineBench(database, { workflow: WORKFLOW, script: callOf("echo"), allowlist: "- echo" });
    const about = await aboutOf(await bench.start(PARAMS));
    expect(about).toMatch(
      /^order A-1042, lines \[\{"sku": 7\}\], message The parcel never⟨U\+200B⟩ came, please look .*…$/,
    );
    expect(about).not.toContain("secret");
    expect(about?.length).toBeLessThan(300);
    expect(await aboutOf(await bench.start({}))).toBe("");
  },
);

test(
  verifies(
    "history:about",
    "a run that waits is described by the waiting call, and by the one with unknown outcome, even when it is over",
  ),
  async () => {
    const asking = await openEngineBench(database, {
      workflow: WORKFLOW,
      script: callOf("t-none", ", { tool: t-none, arguments: { text: again } }"),
      allowlist: "- name: t-none\n  require_approval: { reason: big }",
    });
    const asked = await asking.launch(PARAMS);
    expect(await aboutOf(asked)).toMatch(/text act, and 1 more · order A-1042, /);
    await cancelRun(asking.deps, TEST_ACTOR, { runId: asked });
    expect(await aboutOf(asked)).toMatch(/^order A-1042/);
    const unknown = await openEngineBench(database, {
      workflow: WORKFLOW,
      script: callOf("drop-after"),
      allowlist: "- drop-after",
    });
    const runId = await unknown.launch(PARAMS);
    expect(await aboutOf(runId)).toMatch(/^Outcome unknown: .*text act · order A-1042, /);
    await cancelRun(unknown.deps, TEST_ACTOR, { runId });
    expect(await aboutOf(runId)).toMatch(/^Outcome unknown: /);
  },
);
