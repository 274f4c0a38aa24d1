import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { GIT } from "@/lib/config/builtin/git";
import { assessDanger } from "@/lib/policy/danger";
import { openTestBuiltin, openTestFolder } from "@/lib/testing/builtin-server";

let place: ReturnType<typeof openTestFolder>;
let git: ReturnType<typeof openTestBuiltin>;
let proof: string;
const at = (...parts: string[]) => path.join(place.base, ...parts);
const real = (...args: string[]) =>
  execFileSync("git", ["-C", place.base, "-c", "user.name=T", "-c", "user.email=t@t", ...args], { encoding: "utf8" });

beforeEach(() => {
  place = openTestFolder();
  proof = path.join(place.folder, "proof");
  real("init", "--quiet", "--initial-branch=main");
  writeFileSync(at("a.txt"), "one\n");
  real("add", "a.txt");
  real("commit", "--quiet", "-m", "first");
  git = openTestBuiltin({ name: "kimitsu/git", params: { allowed_base: place.base }, deployment: place.deployment });
});
afterEach(async () => {
  await git.close();
  place.close();
});

const LEVELS = {
  status: "safe",
  diff: "safe",
  log: "safe",
  show: "safe",
  add: "medium",
  branch: "medium",
  commit: "medium",
};

test(verifies("builtin:git", "each tool has its danger level and typed input and output"), async () => {
  const { tools } = await git.list();
  const levels = tools.map(({ name, annotations }) => [
    name,
    assessDanger(annotations, GIT.definition.tools[name]).level,
  ]);
  expect(Object.fromEntries(levels)).toEqual(LEVELS);
  for (const tool of tools)
    expect(tool).toMatchObject({ inputSchema: { type: "object" }, outputSchema: { type: "object" } });
});

test(verifies("builtin:git", "a change is seen, staged, committed and found in the history"), async () => {
  writeFileSync(at("a.txt"), "two\n");
  expect((await git.call("status", {})).output).toContain(" M a.txt");
  expect((await git.call("diff", {})).output).toContain("+two");
  expect((await git.call("add", { paths: ["a.txt"] })).success).toBe(true);
  expect((await git.call("diff", { staged: true, paths: ["a.txt"] })).output).toContain("-one");
  expect((await git.call("commit", { message: "second\n\nwhy" })).success).toBe(true);
  expect((await git.call("branch", { name: "side", from: "HEAD~1" })).success).toBe(true);
  expect((await git.call("branch", {})).output).toMatch(/\* main\n\s+side/);
  expect((await git.call("diff", { from: "side", to: "main" })).output).toContain("+two");
  expect((await git.call("log", { limit: 1 })).output).toMatch(/Kimitsu <kimitsu@localhost>, .*\n\s+second/);
  expect((await git.call("show", {})).output).toContain("why");
  expect(real("log", "--format=%an %s")).toBe("Kimitsu second\nT first\n");
});

test(
  verifies("builtin:git:arguments", "options, ranges, patterns and paths elsewhere are refused or taken as names"),
  async () => {
    for (const ref of [
      "--output=/tmp/x",
      "-p",
      "main..side",
      "--exec=touch",
      "HEAD\n--output=x",
      ":(top)",
      "",
      "$(touch x)",
    ]) {
      for (const [tool, input] of [
        ["show", { ref }],
        ["log", { ref }],
        ["diff", { from: ref }],
        ["branch", { name: ref }],
        ["branch", { name: "x", from: ref }],
      ] as const)
        expect((await git.call(tool, input)).is_error, `${tool} ${ref}`).toBe(true);
    }
    writeFileSync(at("--output=stolen"), "x");
    writeFileSync(at("b.txt"), "x");
    for (const given of [":(glob)**", "*.txt", "../secret", "/etc/passwd", ":/"])
      expect((await git.call("add", { paths: [given] })).is_error, given).toBe(true);
    expect((await git.call("add", { paths: ["--output=stolen"] })).success).toBe(true);
    expect((await git.call("commit", { message: `--amend\n$(touch ${proof})\n# kept` })).success).toBe(true);
    expect(real("log", "-1", "--format=%B")).toContain("# kept");
    expect(real("rev-list", "--count", "HEAD").trim()).toBe("2");
    expect([existsSync(proof), existsSync(at("stolen"))]).toEqual([false, false]);
  },
);

test(verifies("builtin:git:repository", "hooks are not run"), async () => {
  for (const hook of [
    "pre-commit",
    "commit-msg",
    "post-commit",
    "prepare-commit-msg",
    "post-index-change",
    "reference-transaction",
  ]) {
    writeFileSync(at(".git/hooks", hook), `#!/bin/sh\ntouch ${proof}\n`);
    chmodSync(at(".git/hooks", hook), 0o755);
  }
  writeFileSync(at("a.txt"), "two\n");
  await git.call("add", { paths: ["a.txt"] });
  expect((await git.call("commit", { message: "m" })).success).toBe(true);
  await git.call("branch", { name: "side" });
  expect(existsSync(proof)).toBe(false);
});

test.each([
  ["core.fsmonitor", "status"],
  ["core.sshCommand", "status"],
  ["core.pager", "log"],
  ["core.editor", "commit"],
  ["diff.external", "diff"],
  ["filter.x.clean", "add"],
  ["filter.x.process", "diff"],
  ["diff.x.textconv", "show"],
  ["gpg.program", "commit"],
  ["credential.helper", "status"],
  ["include.path", "status"],
  ["includeIf.gitdir:/.path", "status"],
  ["core.hooksPath", "commit"],
  ["core.worktree", "status"],
  ["core.alternateRefsCommand", "log"],
])(verifies("builtin:git:repository", "a repository that sets %s runs nothing"), async (key, tool) => {
  const script = path.join(place.folder, "script");
  writeFileSync(script, `#!/bin/sh\ntouch ${proof}\ncat\n`);
  chmodSync(script, 0o755);
  execFileSync("git", ["config", "--file", at(".git/config"), key, script]);
  writeFileSync(at(".gitattributes"), "* filter=x diff=x\n");
  writeFileSync(at("a.txt"), "changed\n");
  const inputs: Record<string, Record<string, unknown>> = { add: { paths: ["a.txt"] }, commit: { message: "m" } };
  expect((await git.call(tool, inputs[tool] ?? {})).error).toContain("may run a program");
  expect(existsSync(proof)).toBe(false);
});

test(verifies("builtin:git:repository", "a repository elsewhere is not reached through this one"), async () => {
  mkdirSync(at("sub"));
  const inside = openTestBuiltin({
    name: "kimitsu/git",
    params: { allowed_base: at("sub") },
    deployment: place.deployment,
  });
  await expect(inside.call("status", {})).rejects.toThrow("there is no .git in it");
  await inside.close();
  expect((await git.call("status", {})).success).toBe(true);
  appendFileSync(at(".git/objects/info/alternates"), "/somewhere/objects\n");
  expect((await git.call("status", {})).error).toContain("leads to other files");
});
