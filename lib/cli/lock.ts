/**
 * `kimitsu lock`: asks the project's servers for their tools and writes the lock file, after showing what is different.
 */
import type { Command } from "commander";
import { allowedHosts } from "@/lib/cli/demo-hosts";
import { createPaint, displayRoot, loadOptions, type Paint, projectRoot } from "@/lib/cli/project-options";
import { type GivenParams, resolveAlone, type Variables } from "@/lib/tools/registry/resolve-alone";
import { getProject } from "@/lib/config/load-project";
import { suggest } from "@/lib/config/problem";
import type { Project, ProjectServer } from "@/lib/config/project";
import {
  formatToolsLock,
  LOCK_FILE,
  type LockedServer,
  readToolsLock,
  type ToolsLock,
  writeToolsLock,
} from "@/lib/config/tools-lock";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { diffLocks, type LockChange, lockServer } from "@/lib/tools/lock-tools";
import type { ToolList } from "@/lib/tools/list-tools";
import { builtinsByEnv } from "@/lib/tools/builtin/builtins-by-env";
import { createBuiltins } from "@/lib/tools/builtin/open-builtin";
import { createToolPool, type ToolPool } from "@/lib/tools/tool-pool";
import type { ToolServer } from "@/lib/tools/tool-server";

interface LockOptions {
  check?: boolean;
  env?: string;
  server?: string[];
  param?: string[];
  secret?: string[];
}

const collect = (value: string, earlier: string[] = []) => [...earlier, value];

export function registerLock(program: Command): void {
  program
    .command("lock")
    .description(`ask the tool servers what their tools are, show what is different, and write it to ${LOCK_FILE}`)
    .option("--check", "write nothing; exit code 1 when the lock would change, or a server could not be asked")
    .option("--env <name>", "use the values of environments/<name>.env.yaml")
    .option("--server <name>", "only this server; others stay as they are (repeatable)", collect)
    .option("--param <server.name=value>", "a param that otherwise comes from a run (repeatable)", collect)
    .option("--secret <server.name=VARIABLE>", "a secret param, from this environment variable (repeatable)", collect)
    .action(async (options: LockOptions) => {
      const load = loadOptions(options);
      const root = projectRoot();
      const { lock, changes, refused, unreachable, asked } = await computeLock({
        project: getProject(root, load),
        options,
        variables: load.processEnv,
        allowHosts: allowedHosts(),
        allowStdio: env.KIMITSU_ALLOW_STDIO,
      });
      const before = readToolsLock(root);
      const isSame = changes.length === 0 && before !== null;
      for (const line of [
        ...describeChanges(changes, createPaint()),
        ...refused,
        ...unreachable.map((each) => describeUnreachable(each, before)),
      ])
        console.log(line);
      // A lock without a single server would refuse every tool of a project that has no servers yet.
      const isWritten = !options.check && !isSame && asked > 0;
      if (isWritten) writeToolsLock(root, formatToolsLock(lock));
      const away = unreachable.map(({ server }) => server);
      console.log(
        summarize({
          changes: changes.length,
          isSame,
          isCheck: options.check === true,
          isWritten,
          away,
          file: `${displayRoot(root)}/${LOCK_FILE}`,
        }),
      );
      if (away.length > 0 || (options.check && !isSame)) process.exitCode = 1;
    });
}

export interface LockInput {
  project: Project;
  options: Pick<LockOptions, "server" | "param" | "secret">;
  variables: Variables;
  allowHosts: readonly string[];
  allowStdio: boolean;
}

export interface ComputedLock {
  lock: ToolsLock;
  changes: LockChange[];
  /** Tools that cannot be locked, with the reason. */
  refused: string[];
  /** Servers that gave no list; what the lock had for them stays. */
  unreachable: { server: string; reason: string }[];
  /** How many servers gave a list. */
  asked: number;
}

/**
 * Throws when it is not known how to ask a server: that depends on the options, not on whether servers are reachable.
 */
export async function computeLock({
  project,
  options,
  variables,
  allowHosts,
  allowStdio,
}: LockInput): Promise<ComputedLock> {
  const before = readToolsLock(project.root);
  const all = Object.values(project.servers);
  const given = readGiven(options, all);
  const wanted = chooseServers(all, options.server).map((server) => ({
    server,
    tools: resolveAlone(project, server, { given, variables }),
  }));
  const pool = createToolPool({
    allowHosts,
    stdio: allowStdio ? { env: { PATH: variables.PATH ?? "" } } : null,
    openBuiltin: createBuiltins(builtinsByEnv(project.root)),
  });
  try {
    const lists = await Promise.all(wanted.map(({ server, tools }) => askServer(pool, server, tools)));
    const listed = lists.filter((each) => each.list !== null);
    const kept = all.filter((server) => !listed.some((each) => each.server === server) && before?.servers[server.name]);
    const entries = [
      ...kept.map((server): [string, LockedServer] => [server.name, before!.servers[server.name]!]),
      ...listed.map(({ server, list }): [string, LockedServer] => [server.name, lockServer(list.tools)]),
    ];
    const lock: ToolsLock = { version: 1, servers: Object.fromEntries(entries) };
    const refused = listed.flatMap(({ server, list }) =>
      list.refused.map(({ name, reason }) => `! ${server.name}.${name} cannot be used and is not locked: ${reason}`),
    );
    const unreachable = lists.flatMap((each) =>
      each.list === null ? [{ server: each.server.name, reason: each.reason }] : [],
    );
    return { lock, changes: diffLocks(before, lock), refused, unreachable, asked: listed.length };
  } finally {
    await pool.close();
  }
}

type Asked = { server: ProjectServer; list: ToolList } | { server: ProjectServer; list: null; reason: string };

async function askServer(pool: ToolPool, server: ProjectServer, tools: ToolServer): Promise<Asked> {
  try {
    return { server, list: await pool.listTools(tools, { ageMaxMs: 0 }) };
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    return { server, list: null, reason: error.message };
  }
}

function chooseServers(all: readonly ProjectServer[], names: readonly string[] | undefined): ProjectServer[] {
  if (!names) return [...all];
  return names.map((name) => {
    const server = all.find((each) => each.name === name);
    if (!server)
      throw new KimitsuError(
        "not_found",
        `There is no server "${name}"; ${
          suggest(
            name,
            all.map((each) => each.name),
            "servers",
          ) ?? "the project has none"
        }`,
      );
    return server;
  });
}

function readGiven({ param = [], secret = [] }: LockInput["options"], all: readonly ProjectServer[]): GivenParams {
  const given: Record<string, Record<string, { value: string } | { variable: string }>> = {};
  const read = (text: string, option: string) => {
    const match = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(text);
    const server = all.find((each) => each.name === match?.[1]);
    if (!match || !server || !Object.hasOwn(server.definition.params, match[2]!)) {
      // The text may hold a secret meant for the other option, so it is not repeated.
      throw new KimitsuError(
        "invalid_request",
        `${option} is given as SERVER.PARAM=${option === "--secret" ? "VARIABLE" : "VALUE"}, with a server and a param of the project.`,
      );
    }
    return { server: match[1]!, name: match[2]!, rest: match[3]! };
  };
  for (const text of param) {
    const { server, name, rest } = read(text, "--param");
    (given[server] ??= {})[name] = { value: rest };
  }
  for (const text of secret) {
    const { server, name, rest } = read(text, "--secret");
    (given[server] ??= {})[name] = { variable: rest };
  }
  return given;
}

const SIGN = { added: "+", removed: "-", changed: "~", renamed: ">" } as const;

export function describeChanges(changes: readonly LockChange[], paint: Paint): string[] {
  return changes.flatMap(({ server, tool, kind, from, lines }) => {
    const name = `${server}.${tool}`;
    const head = `${SIGN[kind]} ${name} ${kind === "renamed" ? `renamed from ${from}` : kind}`;
    const inside =
      kind === "changed" && lines.length === 0
        ? ["    only inside its schemas"]
        : lines.map((line) => `    ${line.startsWith("-") ? paint.bad(line) : paint.good(line)}`);
    return [kind === "added" ? paint.good(head) : kind === "removed" ? paint.bad(head) : paint.warn(head), ...inside];
  });
}

function describeUnreachable(
  { server, reason }: ComputedLock["unreachable"][number],
  before: ToolsLock | null,
): string {
  const kept = before?.servers[server]
    ? "keeps what the lock had for it"
    : "is not locked; its tools cannot be called until it is";
  return `! ${server} could not be asked and ${kept}: ${reason}`;
}

interface LockSummary {
  changes: number;
  isSame: boolean;
  isCheck: boolean;
  isWritten: boolean;
  away: string[];
  file: string;
}

function summarize({ changes, isSame, isCheck, isWritten, away, file }: LockSummary): string {
  const missing =
    away.length === 0
      ? ""
      : ` ${away.length === 1 ? "1 server" : `${away.length} servers`} could not be asked: ${away.join(", ")}.`;
  if (isSame) return missing === "" ? `${file} is up to date.` : `${file} stays as it is.${missing}`;
  const what = changes === 1 ? "1 tool is" : `${changes} tools are`;
  if (isCheck)
    return `${file} is not up to date: ${what} different. Look at them, then run \`kimitsu lock\`.${missing}`;
  return isWritten ? `${file} written: ${what} different.${missing}` : `${file} is not written.${missing}`;
}
