/**
 * `kimitsu connect`: makes a token for an MCP client, checks with a real list of tools that it works, and puts it into
 * the client's own configuration, after showing what would change there.
 */
import { homedir, hostname } from "node:os";
// Clients have variables of their own for where their files are, which lib/env.ts does not know.
import { cwd, env as variables, platform } from "node:process";
import { createInterface } from "node:readline/promises";
import { Argument, type Command, Option } from "commander";
import { checkEndpoint } from "@/lib/cli/connect/check-endpoint";
import {
  CLIENT_FACTS,
  CLIENTS,
  type ClientName,
  type Scope,
  type TokenPlace,
  variableOf,
} from "@/lib/cli/connect/clients";
import { editJson } from "@/lib/cli/connect/edit-json";
import { editToml } from "@/lib/cli/connect/edit-toml";
import { readIfThere, showChange, writeChange } from "@/lib/cli/connect/file-change";
import { openDatabase } from "@/lib/cli/database";
import { findPerson } from "@/lib/cli/person";
import { loadOptions, projectRoot } from "@/lib/cli/project-options";
import { readDuration } from "@/lib/config/duration";
import { getProject } from "@/lib/config/load-project";
import { suggest } from "@/lib/config/problem";
import type { Project } from "@/lib/config/project";
import type { EngineDeps } from "@/lib/database/deps";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import { createToken } from "@/lib/people/create-token";
import { revokeToken } from "@/lib/people/revoke-token";
import { OPERATOR_ACTOR } from "@/lib/people/rules/actor";
import { showOnce } from "@/lib/projects/clean-output";

export interface ConnectOptions {
  profile: string;
  name?: string;
  as: string;
  user?: string;
  expires?: string;
  url?: string;
  scope: Scope;
  file?: string;
  yes?: boolean;
  print?: boolean;
}

export function registerConnect(program: Command): void {
  program
    .command("connect")
    .description("set an MCP client up: make a token, check that it works, and write the client's configuration")
    .addArgument(new Argument("<client>", "which client").choices(CLIENTS))
    .requiredOption("--profile <name>", "what the client may do: a profile of the project")
    .option("--name <name>", "what the token is called; default: the client and this machine")
    .option("--as <name>", "what the client calls the server", "kimitsu")
    .option("--user <e-mail>", "whom the client acts as; default: the first admin")
    .option("--expires <duration>", "when the token ends, such as 12h or 30d; default: never")
    .option("--url <address>", "where the MCP endpoint is; default: the web address of this machine")
    .addOption(
      new Option("--scope <scope>", "user: in your own configuration; project: in this folder, without the token")
        .choices(["user", "project"])
        .default("user"),
    )
    .option("--file <path>", "another file than the client's usual one")
    .option("--yes", "change the file without asking")
    .option("--print", "change no file, and print the entry")
    .action(async (client: ClientName, options: ConnectOptions) => {
      const deps = await openDatabase();
      await connect({ ...deps, project: getProject(projectRoot(), loadOptions()) }, client, options);
    });
}

interface ConnectDeps extends EngineDeps {
  project: Project;
  /** Asks the person at the terminal; the tests answer themselves. */
  ask?: (question: string) => Promise<boolean>;
  show?: (text: string) => void;
}

/** Nothing is kept of an attempt that fails: neither a token nor a change in a file. */
export async function connect(deps: ConnectDeps, client: ClientName, options: ConnectOptions): Promise<void> {
  const { ask = askAtTerminal, show = showOnce } = deps;
  const plan = makePlan(deps.project, client, options);
  const person = await findPerson(deps, options.user);
  const expiresAt = options.expires === undefined ? null : expiry(options.expires, deps.now());
  if (plan.change) {
    show(`${showChange(plan.change.file, plan.change.before, plan.edit("kmt_…"))}\n`);
    if (!options.yes && !(await ask(`Change ${plan.change.file}? [y/N] `))) {
      show("Nothing was changed, and no token was made.");
      return;
    }
  }
  const { id, token } = await createToken(deps, OPERATOR_ACTOR, {
    name: options.name ?? `${client} on ${hostname()}`.slice(0, 80),
    userId: person.id,
    scopes: ["mcp"],
    profile: options.profile,
    expiresAt,
  });
  try {
    const tools = await checkEndpoint(plan.url, token);
    if (plan.change) writeChange({ ...plan.change, after: plan.edit(token), holdsToken: plan.place === "inside" });
    show(describeDone({ plan, client, token, person: person.email, tools }));
  } catch (error) {
    await revokeToken(deps, OPERATOR_ACTOR, { tokenId: id, ownerId: null });
    if (!(error instanceof KimitsuError)) throw error;
    throw new KimitsuError(error.code, `${error.message} The token was revoked again, and no file was changed.`, {
      cause: error,
    });
  }
}

interface Plan {
  url: string;
  place: TokenPlace;
  variable: string;
  /** The text with the entry, for this token: of the file, or alone where it is only printed. */
  edit: (token: string) => string;
  /** Null where the entry is only printed. */
  change: { file: string; before: string | null } | null;
}

/** Everything that can be refused before a token exists. */
function makePlan(project: Project, client: ClientName, options: ConnectOptions): Plan {
  const profiles = Object.keys(project.profiles);
  if (!profiles.includes(options.profile))
    throw new KimitsuError(
      "not_found",
      `There is no profile "${options.profile}"; ${suggest(options.profile, profiles, "profiles") ?? "the project has none: add profiles/NAME.profile.yaml"}`,
    );
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(options.as))
    throw new KimitsuError("invalid_request", "--as is a name of letters, digits, - and _, at most 64 of them.");
  const facts = CLIENT_FACTS[client];
  const machine = { home: homedir(), folder: cwd(), platform, variables };
  const placed = facts.place(options.scope, machine);
  if ("refusal" in placed) throw new KimitsuError("invalid_request", placed.refusal);
  const url = readUrl(options.url);
  const variable = variableOf(options.as);
  const file = options.print ? null : (options.file ?? placed.file);
  const before = file === null ? null : readIfThere(file);
  const edit = (token: string) => {
    const entry = facts.entry({ name: options.as, url, token, variable, place: placed.token });
    const change = entry.format === "json" ? editJson : editToml;
    return change(before ?? "", entry, file ?? "");
  };
  // A file that cannot be read is refused here, before anything else happens.
  edit("kmt_…");
  return { url, place: placed.token, variable, edit, change: file === null ? null : { file, before } };
}

function readUrl(given: string | undefined): string {
  const text = given ?? `${env.AUTH_URL ?? `http://${env.HOST}:${env.PORT}`}`;
  const url = URL.parse(text);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.search !== "")
    throw new KimitsuError(
      "invalid_request",
      `--url ${JSON.stringify(text)} is not an address of the form https://kimitsu.example.org/mcp; it holds no name, password or query.`,
    );
  // The web address alone means the endpoint there.
  if (url.pathname === "/" || given === undefined) url.pathname = "/mcp";
  return url.toString();
}

function expiry(text: string, now: Date): Date {
  const duration = readDuration(text);
  if (!duration.ok) throw new KimitsuError("invalid_request", `--expires ${text}: ${duration.message}`);
  return new Date(now.getTime() + duration.ms);
}

async function askAtTerminal(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new KimitsuError("invalid_request", "Nobody can be asked here; add --yes to change the file, or --print.");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

interface Done {
  plan: Plan;
  client: ClientName;
  token: string;
  person: string;
  tools: readonly string[];
}

function describeDone({ plan, client, token, person, tools }: Done): string {
  const { title } = CLIENT_FACTS[client];
  const count = `${tools.length} ${tools.length === 1 ? "tool" : "tools"}`;
  const rest: Record<TokenPlace, string[]> = {
    inside: [],
    variable: [
      `The token is not in the file. Set it where ${title} is started; it is not shown again:`,
      `  export ${plan.variable}=${token}`,
    ],
    asked: [`${title} asks for the token once and keeps it. It is not shown again:`, `  ${token}`],
  };
  return [
    plan.change ? `Wrote ${plan.change.file}.` : plan.edit(token),
    ...rest[plan.place],
    `${plan.url} lists ${count} with it, as ${person}.${plan.change ? ` Start ${title} anew.` : ""}`,
  ].join("\n");
}
