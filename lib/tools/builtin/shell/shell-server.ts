/** `kimitsu/shell`: runs commands by their arguments, in a bubblewrap sandbox that sees one folder of this machine. */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { SHELL } from "@/lib/config/builtin/shell";
import { KimitsuError } from "@/lib/errors";
import { offerTool, refuse } from "@/lib/tools/builtin/builtin-tool";
import { type Base, type FilesDeployment, isIn, openBase } from "@/lib/tools/builtin/files/base";
import { show, toParts } from "@/lib/tools/builtin/files/path-parts";
import { REQUEST_BYTES_MAX } from "@/lib/tools/builtin/limits";
import { type ProcessResult, runProcess } from "./run-process";
import { sandboxed } from "./sandbox";

export interface ShellDeployment {
  /** The program `bwrap`; null where it is not installed. */
  bwrap: string | null;
  /** True: without a sandbox, commands run with the rights of this process. From KIMITSU_ALLOW_UNSANDBOXED_SHELL. */
  allowUnsandboxed: boolean;
}

type Params = z.output<typeof SHELL.params>;

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const bashCommand = {
  name: "bash_command",
  title: "Run a command",
  description: "Runs a program and gives back what it printed and its exit code.",
  annotations: { readOnlyHint: false, openWorldHint: true },
  input: z.strictObject({
    command: z
      .union([z.array(z.string().max(32_768)).min(1).max(1_000), z.string().min(1).max(32_768)])
      .describe(
        'A list of the program and its arguments, such as ["ls", "-la"]; one text only where a shell is allowed',
      ),
    working_folder: z.string().max(4_096).default(".").describe("From the allowed folder"),
    stdin: z.string().max(REQUEST_BYTES_MAX).optional().describe("What the program reads from its input"),
  }),
  output: z.strictObject({
    stdout: z.string(),
    stderr: z.string(),
    exit_code: z.int(),
    stopped_because: z
      .enum(["timeout", "output"])
      .nullable()
      .describe("Why it was ended; null when it ended by itself"),
  }),
};

/** Throws `config_invalid` where commands cannot be run in a sandbox, unless the deployment allows them without. */
export async function openShellServer(
  params: Params,
  deployment: ShellDeployment & { files: FilesDeployment },
): Promise<McpServer> {
  const base = await openBase(params, deployment.files);
  if (base.readOnly.some((each) => isIn(each, base.real)))
    throw new KimitsuError(
      "config_invalid",
      `The folder ${base.real} holds definitions of the project; choose another.`,
    );
  if (params.shell && params.allowed_commands.length + params.blocked_commands.length > 0)
    throw new KimitsuError(
      "config_invalid",
      "A shell can run every command, so that allowed_commands and blocked_commands mean nothing with `shell: true`; remove them, or `shell`.",
    );
  const wrap = await chooseSandbox({ params, base, deployment });
  const server = new McpServer({ name: "kimitsu-shell", version: "1.0.0" });
  offerTool(server, bashCommand, async ({ command, working_folder: folder, stdin }, { signal }) => {
    const argv = toArgv(command, params);
    const cwd = await findFolder(base, folder);
    const env = { PATH, HOME: "/tmp", LANG: "C.UTF-8", ...params.environment };
    const limits = { timeoutMs: params.timeout_seconds * 1_000, outputBytesMax: params.max_output_bytes };
    const data = await runProcess({ argv: wrap({ argv, cwd }), cwd, env, stdin, signal, ...limits });
    return { data, text: describe(data, params), isError: data.exit_code !== 0 };
  });
  return server;
}

type Wrap = (command: { argv: readonly string[]; cwd: string }) => string[];
type Choice = { params: Params; base: Base; deployment: ShellDeployment };

/** A sandbox that does not work is found out now, and not by a command that runs without it. */
async function chooseSandbox({ params, base, deployment }: Choice): Promise<Wrap> {
  const { bwrap, allowUnsandboxed } = deployment;
  const without = allowUnsandboxed ? ({ argv }: { argv: readonly string[] }) => [...argv] : null;
  if (bwrap === null) return without ?? refuseUnsandboxed("bubblewrap (bwrap) is not installed");
  const wrap: Wrap = (command) => sandboxed({ bwrap, base, hasNetwork: params.network }, command);
  const limits = { timeoutMs: 10_000, outputBytesMax: 10_000, signal: new AbortController().signal };
  const argv = wrap({ argv: ["true"], cwd: base.real });
  const tried = await runProcess({ argv, cwd: base.real, env: { PATH }, ...limits });
  if (tried.exit_code === 0) return wrap;
  return without ?? refuseUnsandboxed(`bubblewrap does not work here (${tried.stderr.trim().slice(0, 300)})`);
}

function refuseUnsandboxed(reason: string): never {
  throw new KimitsuError(
    "config_invalid",
    `kimitsu/shell runs commands only in a sandbox, and ${reason}. Install bubblewrap, or set KIMITSU_ALLOW_UNSANDBOXED_SHELL=1 where Kimitsu runs: commands then have all rights of its process.`,
  );
}

function toArgv(command: string | readonly string[], params: Params): string[] {
  const texts = typeof command === "string" ? [command] : command;
  if (texts.some((text) => text.includes("\0"))) refuse("A command cannot contain a NUL character.");
  if (typeof command === "string") {
    if (!params.shell) refuse('Give the command as a list of the program and its arguments, such as ["ls", "-la"].');
    return ["bash", "--noprofile", "--norc", "-c", command];
  }
  const [program = ""] = command;
  if (program === "" || program.startsWith("-")) refuse("The first entry of the list must name a program.");
  const begins = (words: string) => words.split(" ").every((word, index) => command[index] === word);
  // Blocked is also the same program by its path.
  const named = [path.basename(program), ...command.slice(1)];
  const blocked = params.blocked_commands.find((words) => words.split(" ").every((word, at) => named[at] === word));
  if (blocked !== undefined) refuse(`${show(blocked)} may not be run: it is among the blocked_commands.`);
  if (params.allowed_commands.length > 0 && !params.allowed_commands.some(begins))
    refuse(`${show(program)} may not be run; allowed are ${params.allowed_commands.join(", ")}.`);
  return [...command];
}

async function findFolder(base: Base, folder: string): Promise<string> {
  const parts = toParts(folder, base.spellings);
  const real = await realpath(path.join(base.real, ...parts)).catch(() => null);
  if (real === null || !isIn(base.real, real))
    return refuse(`There is no folder ${show(folder)} in the allowed folder.`);
  return real;
}

function describe({ stdout, stderr, exit_code: code, stopped_because: why }: ProcessResult, params: Params): string {
  const end =
    why === "timeout"
      ? `Ended after ${params.timeout_seconds} seconds.`
      : why === "output"
        ? `Ended because it printed more than ${params.max_output_bytes} bytes.`
        : `Exit code ${code}.`;
  return [stdout, stderr, why === null && code === 0 ? "" : end].filter((part) => part !== "").join("\n");
}
