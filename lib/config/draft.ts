/** Everything that was read from a project, before it is checked. Checks read it and report into it. */
import path from "node:path";
import type { Agent } from "./agent-schema";
import type { Environment } from "./environment-schema";
import type { Gateway } from "./gateway-schema";
import type { Policy } from "./policy-schema";
import type { Profile } from "./profile-schema";
import { findNearest, formatPath, suggest, type Problem, type ValuePath } from "./problem";
import type { Server } from "./server-schema";
import type { Script } from "@/lib/models/script-schema";
import type { Workflow } from "./workflow-schema";
import type { YamlSource } from "./yaml-source";

export interface Loaded<T> {
  file: string;
  source: YamlSource;
  definition: T;
}

export interface LoadedServer extends Loaded<Server> {
  /** Path of the server in its file: empty for a file of its own, `["servers", 0]` in `servers.yaml`. */
  base: ValuePath;
  origin: "local" | "marketplace" | "builtin";
}

export interface Deployment {
  allowStdio: boolean;
  allowBypass: boolean;
  /** KIMITSU_ALLOW_HOSTS. Absent where it is not known; then addresses are checked only when connecting. */
  allowHosts?: readonly string[] | undefined;
}

export interface Draft {
  deployment: Deployment;
  /** Names of the variables that the process environment holds; values are never kept. */
  processVariables: ReadonlySet<string>;
  gateway: Loaded<Gateway> | null;
  policy: Loaded<Policy> | null;
  environment: Loaded<Environment> | null;
  environments: Loaded<Environment>[];
  servers: LoadedServer[];
  agents: Loaded<Agent>[];
  workflows: Loaded<Workflow>[];
  scripts: Loaded<Script>[];
  /** Each is also among the agents and the workflows, as what it stands for. */
  profiles: Loaded<Profile>[];
  /** By server, the names of its tools in the lock. Read only for profiles whose tools have no prefix. */
  lockedTools: ReadonlyMap<string, readonly string[]>;
  /** Files that cannot be read at all: references to them are not reported as well. */
  broken: ReadonlySet<string>;
  /**
   * By file, the places that do not fit its schema: the rest of the file is checked, and consequences of these errors
   * are not reported.
   */
  repaired: ReadonlyMap<string, readonly ValuePath[]>;
  problems: Problem[];
}

export interface Report {
  hint?: string | undefined;
  severity?: "error" | "warning";
  /** Point at the field's name instead of its value. */
  part?: "key" | "value";
  chain?: string;
}

export function report(draft: Draft, source: YamlSource, at: ValuePath, message: string, options: Report = {}): void {
  if (draft.repaired.get(source.file)?.some((place) => place.length <= at.length && overlap(place, at))) return;
  const { line, column } = source.locate(at, options.part ?? "value");
  const { hint, severity = "error", chain } = options;
  draft.problems.push({ file: source.file, line, column, path: formatPath(at), message, hint, severity, chain });
}

/**
 * True when a place of a file (`*` matches any name or position), a part of it or something around it is wrong: then
 * its value is not known.
 */
export function isUnknown(draft: Draft, file: string, ...place: readonly (string | number)[]): boolean {
  return draft.repaired.get(file)?.some((repaired) => overlap(repaired, place)) ?? false;
}

function overlap(left: ValuePath, right: ValuePath): boolean {
  return left.slice(0, right.length).every((part, index) => right[index] === "*" || part === right[index]);
}

type Referable = "agent" | "workflow" | "server";

/**
 * Finds the file that a path in a file means: relative to the project folder, or, if there is none, to the folder of
 * the file that names it. Reports when there is neither; returns null then, and also when the file itself has errors.
 */
export function resolveFile<T extends Loaded<unknown>>(
  draft: Draft,
  from: YamlSource,
  at: ValuePath,
  reference: string,
  kind: Referable,
  known: readonly T[],
): T | null {
  const candidates = resolveProjectPath(from.file, reference);
  if (candidates.length === 0) {
    report(draft, from, at, `${JSON.stringify(reference)} lies outside of the project`, {
      hint: `name a file in the project folder, such as "${kind}s/NAME.${kind}.yaml"`,
    });
    return null;
  }
  for (const candidate of candidates) {
    const found = known.find((loaded) => loaded.file === candidate);
    if (found !== undefined) return found;
    if (draft.broken.has(candidate)) return null;
  }
  report(draft, from, at, explainMissing(reference, kind), {
    hint: hintMissing(draft, candidates[0] ?? reference, kind, known),
  });
  return null;
}

/** The files that a path may mean, in the order in which they are tried; none when it leads out of the project. */
export function resolveProjectPath(fromFile: string, reference: string): string[] {
  if (path.posix.isAbsolute(reference) || /^[A-Za-z]:|\\|\0/.test(reference)) return [];
  const candidates = [
    path.posix.normalize(reference),
    path.posix.normalize(path.posix.join(path.posix.dirname(fromFile), reference)),
  ];
  return [...new Set(candidates)].filter((candidate) => candidate !== ".." && !candidate.startsWith("../"));
}

function explainMissing(reference: string, kind: Referable): string {
  if (/^(ktsu|kimitsu)\/[\w-]+(@[\w.-]+)?$/.test(reference))
    return `there is no built-in ${kind} ${JSON.stringify(reference)}`;
  return `no ${kind} file ${JSON.stringify(reference)}`;
}

function hintMissing(draft: Draft, candidate: string, kind: Referable, known: readonly Loaded<unknown>[]): string {
  const suffix = `.${kind}.yaml`;
  const files = known.map((loaded) => loaded.file);
  if (/\.ya?ml$/.test(candidate) && !candidate.endsWith(suffix)) {
    const renamed = candidate.replace(/(\.[\w]+)?\.ya?ml$/, suffix);
    const nearest =
      files.find((file) => path.posix.basename(file) === path.posix.basename(renamed)) ?? findNearest(renamed, files);
    return nearest === undefined
      ? `name it "${renamed}"; ${kind} files end in ${suffix}`
      : `did you mean "${nearest}"?`;
  }
  const sameName = files.find((file) => path.posix.basename(file) === path.posix.basename(candidate));
  if (sameName !== undefined) return `did you mean "${sameName}"?`;
  return suggest(candidate, files, `${kind} files`) ?? `the project has no ${kind} files`;
}
