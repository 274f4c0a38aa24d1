import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadProject } from "./load-project";
import { ProjectFixture, type Files } from "./project-fixture";

const DEMO = path.resolve(import.meta.dirname, "../../kimitsu");
const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

/** The demo many times, every name and schema different; five files a copy. */
function writeCopies(count: number): Files {
  const files: Files = {};
  const read = (file: string) => readFileSync(path.join(DEMO, file), "utf8");
  for (const file of ["gateway.yaml", "policy.yaml", "models/support.script.yaml"]) files[file] = read(file);
  const parts = [
    "servers/shop.server",
    "agents/triage.agent",
    "agents/clerk.agent",
    "workflows/support.workflow",
    "workflows/sub/tell-desk.workflow",
  ];
  for (let copy = 0; copy < count; copy += 1) {
    for (const part of parts) {
      const renamed = read(`${part}.yaml`)
        .replaceAll(/(shop|triage|clerk|tell-desk)\.(server|agent|workflow)\.yaml/g, `$1-${copy}.$2.yaml`)
        .replace(/^name: (\S+)/m, `name: $1-${copy}`)
        .replaceAll("type: object\n", `type: object\n    $comment: "copy ${copy}"\n`);
      files[part.replace(/([^/]+)\.(\w+)$/, `$1-${copy}.$2.yaml`)] = renamed;
    }
  }
  return files;
}

/** Processor time, which other programs on the machine do not affect. */
function checkCopies(count: number): number {
  const root = fixture.write(writeCopies(count));
  const started = process.cpuUsage();
  const { problems, project } = loadProject(root, {
    deployment: { allowStdio: false, allowBypass: false },
    processEnv: {},
  });
  const { user, system } = process.cpuUsage(started);
  expect(problems.filter((problem) => problem.severity === "error")).toEqual([]);
  expect(Object.keys(project?.workflows ?? {})).toHaveLength(count * 2);
  return user + system;
}

it("a project of a thousand files costs no more per file than one of a hundred", () => {
  checkCopies(20);
  const ratio = checkCopies(200) / checkCopies(20);
  // The ratio is ten when each file is checked by itself, and a hundred when each is checked against all others.
  expect(ratio).toBeLessThan(30);
});
