import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { getProject } from "@/lib/config/load-project";
import { openProjects } from "@/lib/projects/projects";
import { startRun } from "@/lib/runs/start-run";
import { keepProjectVersion } from "@/lib/projects/transitions/keep-project-version";
import { useDatabase } from "@/lib/testing/database";
import { oneAgentProject, openRunBench, type RunBench, TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();
const SCRIPT = "agents: { worker: { otherwise: { output: { said: first } } } }\n";
const FILES = oneAgentProject({ url: "http://127.0.0.1:9/mcp", allowlist: '- "*"', script: SCRIPT });
const WORKER = 'name: worker\nmodel: standard\nprompt: { system: "Work.", user: "Go." }\n';
const SUB =
  "kind: workflow\nname: child\nvisibility: sub-workflow\nmodel_policy: { force_group: standard }\npipeline: [{ id: work, agent: ./agents/worker.agent.yaml }]\n";
const keep = (hash: string, files: Record<string, string>, environment: string | null = null) =>
  keepProjectVersion(database.db, { hash, files, environment }, new Date());
const start = async ({ deps }: RunBench) =>
  (await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR })).runId;

/** The same folder and database, opened by a new process. */
function reopen({ deps }: RunBench, env?: string) {
  const { root } = deps.projects.current().project;
  return openProjects({
    root,
    dataFolder: path.dirname(root),
    deployment: { allowStdio: false, allowBypass: false },
    processEnv: {},
    db: database.db,
    fetch: deps.fetch,
    now: deps.now,
    env,
  });
}

function write({ deps }: RunBench, file: string, text: string): void {
  const place = path.join(deps.projects.current().project.root, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text);
}

test(
  verifies(
    "promise:5",
    "a project version with waiting runs is used although a later release would refuse it; an unreadable one is not",
  ),
  async () => {
    const bench = await openRunBench(database, FILES);
    const refusedToday = { ...FILES, "workflows/sub/child.workflow.yaml": SUB };
    await expect(openRunBench(database, refusedToday)).rejects.toThrow(/child\.workflow\.yaml/);
    write(bench, "workflows/sub/child.workflow.yaml", SUB);
    const kept = getProject(bench.deps.projects.current().project.root, {
      deployment: { allowStdio: false, allowBypass: false },
      processEnv: {},
      wasChecked: true,
    }).hash;
    await keep(kept, refusedToday);
    expect(Object.keys((await bench.deps.projects.get(kept)).project.agents)).toEqual(["worker"]);
    const broken = `sha256:${"2".repeat(64)}`;
    await keep(broken, { ...FILES, "agents/worker.agent.yaml": "name: [" });
    await expect(bench.deps.projects.get(broken)).rejects.toThrow(/agents\/worker\.agent\.yaml/);
  },
);

test(
  verifies(
    "promise:5",
    "a run keeps the project that its process has read, even if the folder changed before the first run",
  ),
  async () => {
    const bench = await openRunBench(database, { ...FILES, "agents/worker.agent.yaml": WORKER });
    const { hash } = bench.deps.projects.current().project;
    write(bench, "models/test.script.yaml", SCRIPT.replace("first", "second"));
    const runId = await start(bench);
    const later = await reopen(bench);
    expect(later.current().project.hash).not.toBe(hash);
    const restored = await later.get(hash);
    expect(restored.project).toMatchObject({ hash, texts: { "models/test.script.yaml": SCRIPT } });
    bench.deps.projects = later;
    await bench.advance(runId);
    expect((await database.db.run.findUniqueOrThrow({ where: { id: runId } })).output).toEqual({
      work: { said: "first" },
    });
  },
);

test("a kept project version whose content does not match its hash is refused", async () => {
  const { deps } = await openRunBench(database, FILES);
  const wrong = `sha256:${"3".repeat(64)}`;
  await keep(wrong, FILES);
  await expect(deps.projects.get(wrong)).rejects.toMatchObject({
    code: "config_invalid",
    message: expect.stringMatching(/^What was kept as the project sha256:3+ is another one/),
  });
});

test("extracted files that match are left in place, because another process may read them; others are extracted again", async () => {
  const bench = await openRunBench(database, { ...FILES, "agents/worker.agent.yaml": WORKER });
  const { hash, root } = bench.deps.projects.current().project;
  await start(bench);
  write(bench, "models/test.script.yaml", SCRIPT.replace("first", "second"));
  const folder = (await (await reopen(bench)).get(hash)).project.root;
  writeFileSync(path.join(folder, "left.txt"), "");
  await (await reopen(bench)).get(hash);
  expect(readdirSync(folder)).toContain("left.txt");
  writeFileSync(path.join(folder, "models/test.script.yaml"), SCRIPT.replace("first", "forged"));
  await (await reopen(bench)).get(hash);
  expect(readFileSync(path.join(folder, "models/test.script.yaml"), "utf8")).toBe(SCRIPT);
  expect(readdirSync(path.join(path.dirname(root), "projects"))).toEqual([path.basename(folder)]);
});

test(
  verifies("promise:5", "a run continues in the environment that it started in, whichever is chosen now"),
  async () => {
    const environments = Object.fromEntries(
      ["dev", "prod"].map((name) => [
        `environments/${name}.env.yaml`,
        `name: ${name}\nvariables: { WHERE: ${name} }\n`,
      ]),
    );
    const bench = await openRunBench(database, { ...FILES, ...environments });
    const [none, dev, prod] = [bench.deps.projects, await reopen(bench, "dev"), await reopen(bench, "prod")];
    const hashes = [none, dev, prod].map((projects) => projects.current().project.hash);
    expect(new Set(hashes).size).toBe(3);
    bench.deps.projects = dev;
    await start(bench);
    expect((await prod.get(hashes[1]!)).project.environment).toMatchObject({
      name: "dev",
      variables: { WHERE: "dev" },
    });
  },
);

test("a project version kept under the hash of its files alone continues in its environment", async () => {
  const environments = { "environments/prod.env.yaml": "name: prod\nvariables: { WHERE: prod }\n" };
  const bench = await openRunBench(database, { ...FILES, ...environments });
  const { hash, root, texts } = bench.deps.projects.current().project;
  await keep(hash, { ...texts }, "prod");
  rmSync(path.join(root, "environments"), { recursive: true });
  expect((await (await reopen(bench)).get(hash)).project.environment).toMatchObject({ name: "prod" });
});
