import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { findStepPage } from "@/lib/runs/queries/get-step-page";
import { listChanges } from "@/lib/approvals/queries/list-changes";
import { listRunApprovals } from "@/lib/approvals/queries/list-run-approvals";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const ASKS = "- name: deploy\n  require_approval: { reason: big }";
const script = (args: string) =>
  `agents:\n  worker:\n    turns:\n      - call: [{ tool: deploy, arguments: ${args} }]\n    otherwise: { output: {} }\n`;
const DEPLOY = {
  name: "deploy",
  inputSchema: {
    type: "object" as const,
    properties: {
      place: { type: "string" },
      size: { type: "integer" },
      pin: { type: "string", writeOnly: true },
      password: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      note: { type: "string" },
    },
  },
};

async function askFor(args: string) {
  const bench = await openEngineBench(database, { script: script(args), allowlist: ASKS });
  await bench.recorder.change(DEPLOY);
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  return { bench, runId, approval: approval! };
}

test(
  verifies(
    "run:edited",
    "the agent's proposal is shown beside what was sent, on the call and among the approvals, and only where they differ",
  ),
  async () => {
    const { bench, runId, approval } = await askFor('{ place: "s\\u200Both", size: 3, tags: [a, b], note: hello }');
    await bench.decide(approval, "approved", { arguments: { place: "north", size: 3, tags: ["a"], force: true } });
    const expected = [
      { path: "note", proposed: '"hello"', effective: null },
      { path: "place", proposed: '"s⟨U+200B⟩oth"', effective: '"north"' },
      { path: "tags", proposed: '"a", "b"', effective: '"a"' },
      { path: "force", proposed: null, effective: "true" },
    ];
    const { fingerprint } = bench.deps;
    const step = await findStepPage(database.db, { runId, stepId: approval.stepId, fingerprint });
    expect(step?.turns[0]?.calls[0]?.changes).toEqual(expected);
    expect((await listRunApprovals(database.db, { runId, fingerprint })).items[0]?.changes).toEqual(expected);
  },
);

test(
  verifies(
    "run:edited",
    "what a call hides by name or by schema is hidden in the proposal too, even if the person removed it, and nothing is shown without the schema",
  ),
  async () => {
    const { bench, runId, approval } = await askFor(
      "{ place: north, pin: hidden-by-schema, password: hidden-by-name }",
    );
    await bench.decide(approval, "approved", { arguments: { place: "south" } });
    const [call] = (await bench.read(runId)).calls;
    const changes = await listChanges(database.db, [call!], bench.deps.fingerprint);
    expect(changes.get(call!.id)?.map(({ path }) => path)).toEqual(["password", "pin", "place"]);
    expect(JSON.stringify([...changes])).not.toContain("hidden-by");
    expect(
      await listChanges(database.db, [{ ...call!, definitionFingerprint: "sha256:unknown" }], bench.deps.fingerprint),
    ).toEqual(new Map());
  },
);

test("a call that nobody changed has no changes", async () => {
  const { bench, runId, approval } = await askFor("{ place: north }");
  await bench.decide(approval, "approved");
  const { fingerprint } = bench.deps;
  expect(
    (await findStepPage(database.db, { runId, stepId: approval.stepId, fingerprint }))?.turns[0]?.calls[0]?.changes,
  ).toEqual([]);
});
