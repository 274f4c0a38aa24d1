/**
 * Runs git on one repository so that nothing in it can make git run a program: no hook, filter, pager, editor, signer or
 * helper. What its configuration could say of those is overridden; what is not known to be harmless is refused.
 */
import { lstat } from "node:fs/promises";
import path from "node:path";
import { KimitsuError } from "@/lib/errors";
import { refuse } from "@/lib/tools/builtin/builtin-tool";
import { runProcess } from "@/lib/tools/builtin/shell/run-process";

export interface Repository {
  /** Its real path. */
  folder: string;
  author: { name: string; email: string };
  outputBytesMax: number;
}

const TIMEOUT_MS = 60_000;

const OVERRIDES = (
  "core.hooksPath=/dev/null core.fsmonitor=false core.pager=cat core.editor=false core.attributesFile=/dev/null " +
  "core.excludesFile=/dev/null diff.external= commit.gpgSign=false protocol.allow=never submodule.recurse=false"
)
  .split(" ")
  .flatMap((each) => ["-c", each]);

const PLAIN_ENV = {
  PATH: "/usr/local/bin:/usr/bin:/bin",
  HOME: "/dev/null",
  LANG: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_ASKPASS: "false",
  GIT_EDITOR: "false",
  GIT_PAGER: "cat",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "none",
};

/** Keys that name no program and lead to no other file. */
const HARMLESS = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol)$/,
  /^core\.(safecrlf|quotepath|abbrev|compression|untrackedcache)$/,
  /^remote\..*\.(url|pushurl|fetch|tagopt|prune)$/s,
  /^branch\..*\.(remote|merge|rebase|pushremote|description)$/s,
  /^submodule\..*\.(url|active)$/s,
  /^(user\.(name|email)|extensions\.objectformat|push\.default|pull\.rebase|fetch\.prune)$/,
  /^(init|color|advice|gui|gc|pack|status)\.[^.]+$/,
];

/** Throws `config_invalid` for what is no plain repository. */
export async function requireRepository(folder: string): Promise<void> {
  const git = path.join(folder, ".git");
  const stats = await lstat(git).catch(() => null);
  const refuseIt = (reason: string): never => {
    throw new KimitsuError("config_invalid", `The folder ${folder} cannot be used by kimitsu/git: ${reason}.`);
  };
  if (!stats) refuseIt("there is no .git in it");
  if (!stats?.isDirectory()) refuseIt("its .git is not a folder; work trees and submodules are not supported");
  for (const name of ["commondir", "objects/info/alternates", "config.worktree"])
    if (await lstat(path.join(git, name)).catch(() => null)) refuseIt(`.git/${name} leads to other files`);
}

/** Looked at before each call, since the repository changes. Reading a file as configuration runs nothing. */
async function requireHarmless(repository: Repository, signal: AbortSignal): Promise<void> {
  await requireRepository(repository.folder);
  const file = path.join(repository.folder, ".git/config");
  const argv = ["git", "config", "--file", file, "--no-includes", "--name-only", "--null", "--list"];
  // Outside of the repository, so that git reads this file alone and obeys nothing in it.
  const listed = await runProcess({
    argv,
    cwd: "/",
    env: PLAIN_ENV,
    timeoutMs: TIMEOUT_MS,
    outputBytesMax: 1024 * 1024,
    signal,
  });
  if (listed.exit_code !== 0) refuse("The configuration of the repository cannot be read.");
  const keys = listed.stdout.split("\0").filter((key) => key !== "");
  const strange = keys.find((key) => !HARMLESS.some((pattern) => pattern.test(key)));
  if (strange !== undefined)
    refuse(
      `The configuration of the repository sets ${JSON.stringify(strange)}, which may run a program. Remove it first.`,
    );
}

export interface GitAnswer {
  output: string;
  truncated: boolean;
}

/** `args` begin with the command; everything from outside stands after `--` or was checked. */
export async function runGit(
  repository: Repository,
  args: readonly string[],
  use: { signal: AbortSignal; stdin?: string },
): Promise<GitAnswer> {
  await requireHarmless(repository, use.signal);
  const argv = ["git", "--no-pager", "--literal-pathspecs", "--no-replace-objects", ...OVERRIDES, ...args];
  const { stdout, stderr, exit_code: code, stopped_because: why } = await run(repository, argv, use);
  if (why === "timeout") refuse("git did not end in time.");
  if (code !== 0 && why === null) refuse(`git refused: ${(stderr || stdout).trim().slice(0, 1_000)}`);
  return { output: stdout, truncated: why === "output" };
}

function run(
  { folder, author, outputBytesMax }: Repository,
  argv: readonly string[],
  { signal, stdin }: { signal: AbortSignal; stdin?: string },
) {
  const env = {
    ...PLAIN_ENV,
    // Named, so that no folder above is looked for.
    GIT_DIR: path.join(folder, ".git"),
    GIT_WORK_TREE: folder,
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
  };
  return runProcess({ argv, cwd: folder, env, stdin, timeoutMs: TIMEOUT_MS, outputBytesMax, signal });
}
