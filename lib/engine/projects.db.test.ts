import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { keepProjectVersion } from "@/lib/store/transitions/keep-project-version";
import { useDatabase } from "@/lib/testing/database";
import { oneAgentProject, openRunBench } from "@/lib/testing/run-bench";

const database = useDatabase();
const FILES = oneAgentProject({ url: "http://127.0.0.1:9/mcp", allowlist: '- "*"', script: "agents: { worker: { otherwise: { output: {} } } }\n" });
const SUB = "kind: workflow\nname: child\nvisibility: sub-workflow\nmodel_policy: { force_group: standard }\npipeline: [{ id: work, agent: ./agents/worker.agent.yaml }]\n";
const keep = (hash: string, files: Record<string, string>) => keepProjectVersion(database.db, { hash, files, environment: null }, new Date());

test(verifies("promise:5", "a project that runs wait under is used although a later release would refuse it; one that cannot be read is not"), async () => {
  const { deps } = await openRunBench(database, FILES);
  const refusedToday = { ...FILES, "workflows/sub/child.workflow.yaml": SUB };
  await expect(openRunBench(database, refusedToday)).rejects.toThrow(/child\.workflow\.yaml/);
  const [kept, broken] = [`sha256:${"1".repeat(64)}`, `sha256:${"2".repeat(64)}`];
  await keep(kept, refusedToday);
  expect(Object.keys((await deps.projects.get(kept)).project.agents)).toEqual(["worker"]);
  await keep(broken, { ...FILES, "agents/worker.agent.yaml": "name: [" });
  await expect(deps.projects.get(broken)).rejects.toThrow(/agents\/worker\.agent\.yaml/);
});
