/**
 * The tools of a profile as its clients see them: those that a call could ever be allowed for, under stable names, with
 * the schemas and annotations that their servers state.
 */
import type { ProjectProfile } from "@/lib/config/project";
import { toAgentScope } from "@/lib/policy/agent-scope";
import { assessDanger, type DangerLevel } from "@/lib/policy/danger";
import { factsOf } from "@/lib/policy/judge-by-project";
import { reachOfTool } from "@/lib/policy/reach-of-tool";
import { listUpstreams, type Upstream } from "@/lib/proxy/list-upstreams";
import type { MetaPolicy } from "@/lib/proxy/meta/meta-source";
import { toMetaPolicy } from "@/lib/proxy/meta/to-meta-policy";
import type { ProxyDeps } from "@/lib/proxy/proxy-deps";
import { exportNames } from "@/lib/proxy/rules/export-names";
import { hidesText, mapText, nameHidden } from "@/lib/text/tool-text";
import { noteServerState } from "@/lib/tools/transitions/note-server-state";
import { rememberTools } from "@/lib/tools/transitions/remember-tools";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { judgePin } from "@/lib/tools/rules/tool-pin";
import type { ToolList } from "@/lib/tools/list-tools";
import type { OfferedTool } from "@/lib/tools/toolsets";
import { KimitsuError } from "@/lib/errors";
import { log } from "@/lib/log";

/** How long the lists of a profile wait for a server that does not answer; its tools are missing until it does. */
const LIST_PATIENCE_MS = 10_000;

export interface ExportedTool extends OfferedTool {
  /** What clients call it. */
  name: string;
  /** A person may have to decide on some of its calls. */
  mayAsk: boolean;
  danger: DangerLevel;
  /** What the policy says of it before its arguments are known. */
  policy: MetaPolicy;
  /** As `tools/list` gives it. */
  listed: ListedTool;
}

/** Open, because schemas and annotations are the server's. */
export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: { type: "object"; [key: string]: unknown };
  outputSchema?: { [key: string]: unknown };
  annotations?: Record<string, unknown>;
}

interface ReadUpstream extends Upstream {
  list: ToolList;
}

type ListDeps = Omit<ProxyDeps, "calls" | "origin">;

/** By profile of a project, the tools of the lists that were read last. */
const derived = new WeakMap<ProjectProfile, { key: string; tools: readonly ExportedTool[] }>();

export async function listExportedTools(deps: ListDeps, profile: ProjectProfile): Promise<readonly ExportedTool[]> {
  const read = await Promise.all(listUpstreams(deps, profile).map((upstream) => readList(deps, upstream)));
  const known = read.filter((upstream) => upstream !== null);
  const key = JSON.stringify(known.map(({ entry, list }) => [entry.name, list.hash]));
  const before = derived.get(profile);
  if (before?.key === key) return before.tools;
  const tools = await derive(deps, profile, known);
  derived.set(profile, { key, tools });
  return tools;
}

async function readList(deps: ListDeps, upstream: Upstream): Promise<ReadUpstream | null> {
  const { name } = upstream.entry.server;
  try {
    const list = await deps.pool.listTools(upstream.server, { signal: AbortSignal.timeout(LIST_PATIENCE_MS) });
    await noteServerState(deps.db, { name, error: null, listHash: list.hash }, deps.now());
    return { ...upstream, list };
  } catch (error) {
    if (!(error instanceof KimitsuError)) throw error;
    log.warn({ server: name, err: error }, "a server of a profile cannot be reached; its tools are not listed");
    await noteServerState(deps.db, { name, error: error.message, listHash: null }, deps.now());
    return null;
  }
}

async function derive(deps: ListDeps, profile: ProjectProfile, read: ReadUpstream[]): Promise<ExportedTool[]> {
  const offered = (await Promise.all(read.map((upstream) => listReachable(deps, profile, upstream)))).flat();
  const names = exportNames(
    offered.map(({ server, definition }) => ({ server, tool: definition.name })),
    profile.definition.prefix,
  );
  return offered
    .map((tool, place) => ({ ...tool, name: names[place]!, listed: toListed(names[place]!, tool) }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

type ReachableTool = Omit<ExportedTool, "name" | "listed">;

async function listReachable(
  deps: ListDeps,
  profile: ProjectProfile,
  { entry, list }: ReadUpstream,
): Promise<ReachableTool[]> {
  const { project } = deps.projects.current();
  const lock = deps.projects.lock();
  const { server } = entry;
  const seen = { server: server.name, hash: list.hash, tools: list.tools, hasLock: lock !== null };
  const remembered = await rememberTools(deps.db, seen, deps.now());
  const scopes = [toAgentScope(project, profile.agent)];
  return list.tools.flatMap((definition) => {
    const reach = reachOfTool({
      project,
      scopes,
      server,
      name: { server: entry.name, tool: definition.name },
      tool: {
        listing: "listed",
        annotations: definition.annotations,
        pin: judgePin(definition, lock === null ? null : (lock[server.name] ?? {}), remembered),
        hidesText: hidesText(definition),
      },
      hasLock: lock !== null,
      deployment: deps.deployment,
    });
    if (!reach.isReachable) return [];
    const { readOnly } = assessDanger(definition.annotations, factsOf(server, definition.name));
    const toolset = server.definition.toolset ?? null;
    const { mayAsk, plain, dependsOnArguments } = reach;
    const policy = toMetaPolicy(plain, dependsOnArguments);
    return [{ server: entry.name, definition, readOnly, toolset, mayAsk, danger: plain.danger.level, policy }];
  });
}

/** With every hidden character named, as models of our own agents read it. */
function toListed(name: string, { definition, mayAsk }: ReachableTool): ListedTool {
  const { title, description, inputSchema, outputSchema, annotations } = mapText(
    definition,
    nameHidden,
  ) as ToolDefinition;
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: { properties: {}, ...inputSchema, type: "object" },
    // A pending answer does not fit it, and clients throw on what does not fit.
    ...(outputSchema !== undefined && !mayAsk && { outputSchema: { ...outputSchema } }),
    ...(annotations !== undefined && { annotations: { ...annotations } }),
  };
}
