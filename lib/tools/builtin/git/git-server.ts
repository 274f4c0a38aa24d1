/** `kimitsu/git`: looks at one repository and commits to it, without running anything that the repository names. */
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { GIT } from "@/lib/config/builtin/git";
import { KimitsuError } from "@/lib/errors";
import { type BuiltinTool, offerTool, refuse } from "@/lib/tools/builtin/builtin-tool";
import { type FilesDeployment, isIn, openBase } from "@/lib/tools/builtin/files/base";
import { toParts } from "@/lib/tools/builtin/files/path-parts";
import { type GitAnswer, type Repository, requireRepository, runGit } from "./run-git";

/** Never an option, a range or a pattern. */
const ref = z
  .string()
  .regex(
    /^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/+@{}^~-]{0,199}$/,
    "expected a branch, tag or commit, such as main or HEAD~1",
  );
const paths = z.array(z.string().max(4_096)).max(1_000).describe("From the repository; exact names, no patterns");
const output = z.strictObject({ output: z.string(), truncated: z.boolean() });
const READS = { readOnlyHint: true, openWorldHint: false };
const ADDS = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };

const tool = <Input extends z.ZodObject>(
  facts: Omit<BuiltinTool<Input, typeof output>, "output">,
): BuiltinTool<Input, typeof output> => ({ ...facts, output });

const TOOLS = {
  status: tool({
    name: "status",
    title: "Show the state of the repository",
    description: "Lists changed, staged and new files, and the branch.",
    annotations: READS,
    input: z.strictObject({}),
  }),
  diff: tool({
    name: "diff",
    title: "Show differences",
    description: "Shows what changed: in files, in what is staged, or between two commits.",
    annotations: READS,
    input: z.strictObject({
      staged: z.boolean().default(false).describe("What is staged, against the last commit"),
      from: ref.optional().describe("Compare with this commit"),
      to: ref.optional().describe("Together with `from`: compare the two"),
      paths: paths.default([]),
    }),
  }),
  log: tool({
    name: "log",
    title: "List commits",
    description: "Lists commits, newest first.",
    annotations: READS,
    input: z.strictObject({
      ref: ref.default("HEAD"),
      limit: z.int().min(1).max(200).default(20),
      paths: paths.default([]),
    }),
  }),
  show: tool({
    name: "show",
    title: "Show a commit",
    description: "Shows a commit with its changes.",
    annotations: READS,
    input: z.strictObject({ ref: ref.default("HEAD") }),
  }),
  add: tool({
    name: "add",
    title: "Stage files",
    description: "Stages files for the next commit.",
    annotations: ADDS,
    input: z.strictObject({ paths: paths.min(1) }),
  }),
  branch: tool({
    name: "branch",
    title: "List or make branches",
    description: "Without a name lists the branches; with one makes it, without going there.",
    annotations: ADDS,
    input: z.strictObject({ name: ref.optional(), from: ref.default("HEAD") }),
  }),
  commit: tool({
    name: "commit",
    title: "Commit",
    description: "Commits what is staged. Hooks of the repository are not run.",
    annotations: ADDS,
    input: z.strictObject({ message: z.string().min(1).max(20_000) }),
  }),
};

export async function openGitServer(
  params: z.output<typeof GIT.params>,
  deployment: FilesDeployment,
): Promise<McpServer> {
  const base = await openBase({ ...params, read_only_paths: [] }, deployment);
  if (base.readOnly.some((each) => isIn(each, base.real)))
    throw new KimitsuError(
      "config_invalid",
      `The folder ${base.real} holds definitions of the project; choose another.`,
    );
  await requireRepository(base.real);
  const author = { name: params.author_name, email: params.author_email };
  const repository: Repository = { folder: base.real, author, outputBytesMax: params.max_output_bytes };
  const server = new McpServer({ name: "kimitsu-git", version: "1.0.0" });
  const toPaths = (given: readonly string[]) => given.map((each) => toParts(each, base.spellings).join("/") || ".");
  offerReading(server, repository, toPaths);
  offerWriting(server, repository, toPaths);
  return server;
}

type ToPaths = (given: readonly string[]) => string[];

const answer = (data: GitAnswer) => ({ data, text: data.output });
/** Neither programs that show differences nor other repositories inside this one are asked. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"];

function offerReading(server: McpServer, repository: Repository, toPaths: ToPaths): void {
  offerTool(server, TOOLS.status, async (_input, { signal }) =>
    answer(await runGit(repository, ["status", "--porcelain=v1", "--branch", "--ignore-submodules=all"], { signal })),
  );
  offerTool(server, TOOLS.diff, async ({ staged, from, to, paths: given }, { signal }) => {
    if (to !== undefined && from === undefined) refuse("Give `from` together with `to`.");
    const refs = [from, to].filter((each) => each !== undefined);
    const args = ["diff", ...PLAIN, ...(staged ? ["--cached"] : []), ...refs, "--", ...toPaths(given)];
    return answer(await runGit(repository, args, { signal }));
  });
  offerTool(server, TOOLS.log, async ({ ref: start, limit, paths: given }, { signal }) => {
    const format = "--format=%H%n  %an <%ae>, %aI%n  %s";
    const args = ["log", "--no-color", "--no-show-signature", `--max-count=${limit}`, format, start, "--"];
    return answer(await runGit(repository, [...args, ...toPaths(given)], { signal }));
  });
  offerTool(server, TOOLS.show, async ({ ref: shown }, { signal }) =>
    answer(await runGit(repository, ["show", ...PLAIN, "--no-show-signature", shown, "--"], { signal })),
  );
}

function offerWriting(server: McpServer, repository: Repository, toPaths: ToPaths): void {
  offerTool(server, TOOLS.add, async ({ paths: given }, { signal }) =>
    answer(await runGit(repository, ["add", "--", ...toPaths(given)], { signal })),
  );
  offerTool(server, TOOLS.branch, async ({ name, from }, { signal }) => {
    const args = name === undefined ? ["branch", "--list", "--no-color"] : ["branch", "--no-track", "--", name, from];
    return answer(await runGit(repository, args, { signal }));
  });
  offerTool(server, TOOLS.commit, async ({ message }, { signal }) => {
    const args = ["commit", "--no-verify", "--no-gpg-sign", "--no-status", "--cleanup=whitespace", "--file=-"];
    return answer(await runGit(repository, args, { signal, stdin: message }));
  });
}
