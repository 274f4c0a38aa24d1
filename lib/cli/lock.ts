/** `kimitsu lock`: asks the project's servers for their tools and writes down what they are now, after showing what is different. */
import type { Command } from "commander";
import { allowedHosts } from "@/lib/cli/demo-hosts";
import { createPaint, displayRoot, loadOptions, type Paint, projectRoot } from "@/lib/cli/project-options";
import { type GivenParams, resolveAlone, type Variables } from "@/lib/engine/resolve-alone";
import { getProject } from "@/lib/config/load-project";
import { suggest } from "@/lib/config/problem";
import type { Project, ProjectServer } from "@/lib/config/project";
import { formatToolsLock, LOCK_FILE, type LockedServer, readToolsLock, type ToolsLock, writeToolsLock } from "@/lib/config/tools-lock";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { diffLocks, type LockChange, lockServer } from "@/lib/tools/lock-tools";
import { createToolPool } from "@/lib/tools/tool-pool";

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
    .option("--check", "write nothing; exit code 1 when the lock would change")
    .option("--env <name>", "use the values of environments/<name>.env.yaml")
    .option("--server <name>", "only this server; others stay as they are (repeatable)", collect)
    .option("--param <server.name=value>", "a param that otherwise comes from a run (repeatable)", collect)
    .option("--secret <server.name=VARIABLE>", "a secret param, from this environment variable (repeatable)", collect)
    .action(async (options: LockOptions) => {
      const load = loadOptions(options);
      const root = projectRoot();
      const { lock, changes, refused } = await computeLock({ project: getProject(root, load), options, variables: load.processEnv, allowHosts: allowedHosts(), allowStdio: env.KIMITSU_ALLOW_STDIO });
      const isSame = changes.length === 0 && readToolsLock(root) !== null;
      for (const line of [...describeChanges(changes, createPaint()), ...refused]) console.log(line);
      console.log(summarize(changes.length, isSame, options.check === true, `${displayRoot(root)}/${LOCK_FILE}`));
      if (options.check) process.exitCode = isSame ? 0 : 1;
      else if (!isSame) writeToolsLock(root, formatToolsLock(lock));
    });
}

export interface LockInput {
  project: Project;
  options: Pick<LockOptions, "server" | "param" | "secret">;
  variables: Variables;
  allowHosts: readonly string[];
  allowStdio: boolean;
}

/** Throws when one of the servers cannot be asked: half a lock would look like a whole one. */
export async function computeLock({ project, options, variables, allowHosts, allowStdio }: LockInput): Promise<{ lock: ToolsLock; changes: LockChange[]; refused: string[] }> {
  const before = readToolsLock(project.root);
  const all = Object.values(project.servers).filter((server) => server.origin !== "builtin");
  const asked = chooseServers(all, options.server);
  const given = readGiven(options, all);
  const pool = createToolPool({ allowHosts, stdio: allowStdio ? { env: { PATH: variables.PATH ?? "" } } : null });
  try {
    const lists = await Promise.all(asked.map(async (server) => ({ server, list: await pool.listTools(resolveAlone(project, server, given, variables), { ageMaxMs: 0 }) })));
    const kept = all.filter((server) => !asked.includes(server) && before?.servers[server.name]).map((server): [string, LockedServer] => [server.name, before!.servers[server.name]!]);
    const lock: ToolsLock = { version: 1, servers: Object.fromEntries([...kept, ...lists.map(({ server, list }): [string, LockedServer] => [server.name, lockServer(list.tools)])]) };
    const refused = lists.flatMap(({ server, list }) => list.refused.map(({ name, reason }) => `! ${server.name}.${name} cannot be used and is not locked: ${reason}`));
    return { lock, changes: diffLocks(before, lock), refused };
  } finally {
    await pool.close();
  }
}

function chooseServers(all: readonly ProjectServer[], names: readonly string[] | undefined): ProjectServer[] {
  if (!names) return [...all];
  return names.map((name) => {
    const server = all.find((each) => each.name === name);
    if (!server) throw new KimitsuError("not_found", `There is no server "${name}"; ${suggest(name, all.map((each) => each.name), "servers") ?? "the project has none"}`);
    return server;
  });
}

function readGiven({ param = [], secret = [] }: LockInput["options"], all: readonly ProjectServer[]): GivenParams {
  const given: Record<string, Record<string, { value: string } | { variable: string }>> = {};
  const read = (text: string, option: string) => {
    const match = /^([^.=]+)\.([^=]+)=(.*)$/s.exec(text);
    const server = all.find((each) => each.name === match?.[1]);
    if (!match || !server || !Object.hasOwn(server.definition.params, match[2]!)) {
      // The text may hold a secret that was meant for the other option, so it is not repeated.
      throw new KimitsuError("invalid_request", `${option} is given as SERVER.PARAM=${option === "--secret" ? "VARIABLE" : "VALUE"}, with a server and a param of the project.`);
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
    const inside = kind === "changed" && lines.length === 0 ? ["    only inside its schemas"] : lines.map((line) => `    ${line.startsWith("-") ? paint.bad(line) : paint.good(line)}`);
    return [kind === "added" ? paint.good(head) : kind === "removed" ? paint.bad(head) : paint.warn(head), ...inside];
  });
}

function summarize(changes: number, isSame: boolean, isCheck: boolean, file: string): string {
  if (isSame) return `${file} is up to date.`;
  const what = changes === 1 ? "1 tool is" : `${changes} tools are`;
  return isCheck ? `${file} is not up to date: ${what} different. Look at them, then run \`kimitsu lock\`.` : `${file} written: ${what} different.`;
}
