/** Reads, parses and cross-checks a project folder. Gives a frozen project, or every problem of every file at once. */
import { statSync } from "node:fs";
import path from "node:path";
import type { z } from "zod";
import { KimitsuError } from "@/lib/errors";
import { parseScript } from "@/lib/models/parse-script";
import { agentSchema, type Agent } from "./agent-schema";
import { BUILTIN_SERVERS } from "./builtin-servers";
import { buildProject, hashContent } from "./build-project";
import { checkDraft } from "./checks/check-draft";
import { checkStepKinds } from "./checks/check-steps";
import type { Deployment, Draft, Loaded, LoadedServer } from "./draft";
import { environmentSchema, type Environment } from "./environment-schema";
import { gatewaySchema } from "./gateway-schema";
import { policySchema } from "./policy-schema";
import { agentOfProfile, workflowOfProfile } from "./profile-parts";
import { profileSchema, type Profile } from "./profile-schema";
import { formatProblem, sortProblems, suggest, type Problem, type ValuePath } from "./problem";
import type { Project } from "./project";
import { fileProblem, listProjectFiles, readProjectFile, type FileKind, type ProjectFile } from "./project-files";
import { salvage } from "./salvage";
import { serverSchema, serversSchema } from "./server-schema";
import { LOCK_FILE, toolsLockSchema } from "./tools-lock";
import { workflowSchema } from "./workflow-schema";
import { parseYamlSource, type YamlSource } from "./yaml-source";
import { listZodProblems } from "./zod-problems";

export interface LoadOptions {
  /** Name of the environment whose values are used. */
  env?: string | undefined;
  deployment: Deployment;
  /** Only asked which variables are set. */
  processEnv: Readonly<Record<string, string | undefined>>;
  /**
   * It was checked when it was stored, by the release of that time. A release that checks more must not block runs that
   * wait under it, so problems that only the cross-checks find are ignored; what they protect is enforced at run time
   * as well.
   */
  wasChecked?: boolean;
}

export interface LoadResult {
  /** Null when there is an error; warnings are allowed. */
  project: Project | null;
  problems: Problem[];
  files: { file: string; kind: FileKind; ok: boolean }[];
}

const SCHEMAS = {
  workflow: workflowSchema,
  agent: agentSchema,
  server: serverSchema,
  servers: serversSchema,
  gateway: gatewaySchema,
  policy: policySchema,
  environment: environmentSchema,
  profile: profileSchema,
} satisfies Partial<Record<FileKind, z.ZodType>>;

export function loadProject(root: string, options: LoadOptions): LoadResult {
  const folder = path.resolve(root);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    return {
      project: null,
      problems: [fileProblem("", `there is no project folder ${folder}`, "set KIMITSU_PROJECT, or create it")],
      files: [],
    };
  }
  const listing = listProjectFiles(folder);
  const read = readAll(folder, listing.files);
  const draft = toDraft(read, options, listing.problems);
  const unreadable = [...draft.problems];
  draft.problems.push(...listing.unsupported);
  const links = checkDraft(draft);
  const problems = sortProblems(draft.problems);
  const wrong = new Set(
    (options.wasChecked ? unreadable : problems)
      .filter((problem) => problem.severity === "error")
      .map((problem) => problem.file),
  );
  const files = listing.files.map((entry) => ({ ...entry, ok: !wrong.has(entry.file) }));
  const project =
    wrong.size > 0
      ? null
      : buildProject({ root: folder, draft, links, fileHashes: read.hashes, texts: read.texts, sources: read.sources });
  return { project, problems, files };
}

/** Like `loadProject`, for callers that cannot continue without one. Throws `config_invalid` with every problem. */
export function getProject(root: string, options: LoadOptions): Project {
  const { project, problems } = loadProject(root, options);
  if (project !== null) return project;
  const errors = problems.filter((problem) => problem.severity === "error");
  const prefix = path.basename(path.resolve(root));
  throw new KimitsuError(
    "config_invalid",
    `The project in ${prefix}/ has ${errors.length} ${errors.length === 1 ? "problem" : "problems"}:\n${errors.map((problem) => formatProblem(problem, prefix)).join("\n")}`,
    {
      issues: errors.map((problem) => ({
        path: `${problem.file}:${problem.line}:${problem.column} ${problem.path}`.trim(),
        message: problem.message,
      })),
    },
  );
}

interface ReadFiles {
  loaded: (Loaded<unknown> & { kind: FileKind })[];
  sources: Map<string, YamlSource>;
  hashes: Record<string, string>;
  texts: Record<string, string>;
  broken: Set<string>;
  repaired: Map<string, readonly ValuePath[]>;
  problems: Problem[];
}

function readAll(root: string, files: readonly ProjectFile[]): ReadFiles {
  const result: ReadFiles = {
    loaded: [],
    sources: new Map(),
    hashes: {},
    texts: {},
    broken: new Set(),
    repaired: new Map(),
    problems: [],
  };
  for (const { file, kind } of files) {
    const read = readProjectFile(root, file);
    if ("text" in read) result.texts[file] = read.text;
    if ("problem" in read) {
      result.broken.add(file);
      result.problems.push(read.problem);
    } else if (kind === "script") parseScriptFile(result, file, read.text);
    else parseFile(result, kind, parseYamlSource(file, read.text));
  }
  return result;
}

/** Scripts have rules of their own, in lib/models. */
function parseScriptFile(result: ReadFiles, file: string, text: string): void {
  const source = parseYamlSource(file, text);
  const { script, problems } = parseScript(file, text);
  result.sources.set(file, source);
  result.problems.push(...problems);
  if (script === null) result.broken.add(file);
  else result.loaded.push({ file, source, definition: script, kind: "script" });
  if (script !== null) result.hashes[file] = hashContent(source.value);
}

function parseFile(result: ReadFiles, kind: FileKind, source: YamlSource): void {
  const { file, value } = source;
  result.sources.set(file, source);
  result.problems.push(...source.problems);
  if (source.problems.length === 0 && kind !== "lock") result.hashes[file] = hashContent(value);
  if (value === undefined) return void result.broken.add(file);
  const schema = (SCHEMAS as Partial<Record<FileKind, z.ZodType>>)[kind];
  if (schema === undefined) return;
  const steps = kind === "workflow" ? checkStepKinds(source) : { problems: [], unclear: new Set<number>() };
  const parsed = schema.safeParse(value);
  if (parsed.success) return void result.loaded.push({ file, source, definition: parsed.data, kind });
  // What YAML itself refused is null in the value, which is not a second mistake.
  const refused = new Set(source.problems.map(({ path: place }) => place));
  result.problems.push(
    ...steps.problems,
    ...listFileProblems(source, schema, parsed.error, steps.unclear).filter(
      ({ path: place }) => place === "" || !refused.has(place),
    ),
  );
  const rest = salvage(source, schema, kind, steps.unclear);
  if (rest === null) return void result.broken.add(file);
  result.loaded.push({ file, source, definition: rest.definition, kind });
  result.repaired.set(file, rest.repaired);
}

function listFileProblems(
  source: YamlSource,
  schema: z.ZodType,
  error: z.ZodError,
  unclear: ReadonlySet<number>,
): Problem[] {
  if (source.value === null)
    return [fileProblem(source.file, "the file is empty", "write the definition, or remove the file")];
  const isUnclear = (issue: z.core.$ZodIssue) => issue.path[0] === "pipeline" && unclear.has(Number(issue.path[1]));
  const issues = error.issues.filter((issue) => !isUnclear(issue));
  return listZodProblems(source, schema, { issues } as z.ZodError);
}

function toDraft(read: ReadFiles, options: LoadOptions, listed: readonly Problem[]): Draft {
  const of = <T>(kind: FileKind) => read.loaded.filter((entry) => entry.kind === kind) as unknown as Loaded<T>[];
  const environments = of<Environment>("environment");
  const profiles = of<Profile>("profile");
  const agents = profiles.map((profile) => ({ ...profile, definition: agentOfProfile(profile.definition) }));
  const workflows = profiles.map((profile) => ({
    ...profile,
    definition: workflowOfProfile(profile.definition, profile.file),
  }));
  const draft: Draft = {
    deployment: options.deployment,
    processVariables: new Set(
      Object.keys(options.processEnv).filter((name) => (options.processEnv[name] ?? "") !== ""),
    ),
    gateway: of<z.infer<typeof gatewaySchema>>("gateway")[0] ?? null,
    policy: of<z.infer<typeof policySchema>>("policy")[0] ?? null,
    environment: environments.find((entry) => entry.definition.name === options.env) ?? null,
    environments,
    servers: [
      ...listServers(of<z.infer<typeof serverSchema>>("server"), of<z.infer<typeof serversSchema>>("servers")),
      ...listBuiltins([...of<z.infer<typeof agentSchema>>("agent"), ...agents]),
    ],
    agents: [...of<z.infer<typeof agentSchema>>("agent"), ...agents],
    workflows: [...of<z.infer<typeof workflowSchema>>("workflow"), ...workflows],
    scripts: of("script"),
    profiles,
    lockedTools: profiles.some(({ definition }) => definition.prefix === "never") ? listLockedTools(read) : new Map(),
    broken: read.broken,
    repaired: read.repaired,
    problems: [...listed, ...read.problems],
  };
  const isUnsure = [...read.broken].some((file) => file.startsWith("environments/"));
  if (options.env !== undefined && draft.environment === null && !isUnsure) {
    const names = environments.map((entry) => entry.definition.name);
    draft.problems.push(
      fileProblem(
        "environments",
        `no environment ${JSON.stringify(options.env)}`,
        suggest(options.env, names, "environments") ?? `add environments/${options.env}.env.yaml`,
      ),
    );
  }
  return draft;
}

/** Empty without a lock, and for one that cannot be read: whoever uses it says so. */
function listLockedTools({ sources }: ReadFiles): Map<string, string[]> {
  const lock = toolsLockSchema.safeParse(sources.get(LOCK_FILE)?.value);
  return new Map(
    Object.entries(lock.success ? lock.data.servers : {}).map(([name, { tools }]) => [name, Object.keys(tools)]),
  );
}

/** Only those that an agent or a profile names: the others are no part of the project. */
function listBuiltins(agents: readonly Loaded<Agent>[]): LoadedServer[] {
  const named = new Set(
    agents.flatMap(({ definition }) => definition.servers.flatMap(({ name, path }) => (path ? [] : (name ?? [])))),
  );
  return [...BUILTIN_SERVERS].flatMap(([name, { definition }]) =>
    named.has(name)
      ? [{ file: "", source: parseYamlSource("", ""), base: [], origin: "builtin" as const, definition }]
      : [],
  );
}

function listServers(
  local: readonly Loaded<z.infer<typeof serverSchema>>[],
  shared: readonly Loaded<z.infer<typeof serversSchema>>[],
): LoadedServer[] {
  return [
    ...shared.flatMap(({ file, source, definition }) =>
      definition.servers.map((server, index) => ({
        file,
        source,
        definition: server,
        base: ["servers", index],
        origin: "marketplace" as const,
      })),
    ),
    ...local.map((server) => ({ ...server, base: [], origin: "local" as const })),
  ];
}
