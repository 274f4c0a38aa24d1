/**
 * The project's tool servers and their tools, as last seen: health, danger, fingerprints, and whether they are still
 * the trusted ones.
 */
import { listAgents } from "@/lib/config/list-definitions";
import type { Project, ProjectAgent, ProjectServer } from "@/lib/config/project";
import { assessDanger, type DangerLevel } from "@/lib/policy/danger";
import { factsOf } from "@/lib/policy/judge-by-project";
import { type PinBook, isAsTrusted, judgePin } from "@/lib/tools/rules/tool-pin";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import type { Runtime } from "@/lib/runs/runtime";
import {
  type KnownServerState,
  type KnownTool,
  listFirstUsePins,
  listKnownTools,
  listServerStates,
  listToolPrints,
} from "@/lib/tools/queries/list-known-tools";

export interface RegistryServer {
  name: string;
  origin: ProjectServer["origin"];
  description: string | null;
  transport: string;
  url: string | null;
  toolset: string | null;
  required: boolean;
  file: string | null;
  agents: string[];
  profiles: string[];
  tools: number;
  /** `unknown`: no process has contacted it yet. */
  health: "ok" | "unreachable" | "unknown";
  lastError: string | null;
  listHash: string | null;
  listedAt: Date | null;
  checkedAt: Date | null;
}

export interface RegistryTool {
  server: string;
  tool: string;
  title: string | null;
  description: string | null;
  toolset: string | null;
  annotations: Readonly<Record<string, unknown>> | null;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>> | null;
  danger: DangerLevel;
  dangerReason: string;
  readOnly: boolean;
  destructive: boolean;
  fingerprint: string;
  pinnedFingerprint: string | null;
  pin: "pinned" | "trusted_first_use" | "new" | "changed" | "renamed";
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** When its server first stopped listing it; null while it is listed. */
  goneAt: Date | null;
}

type RegistryDeps = Pick<Runtime, "db" | "projects">;

export async function listRegistryServers(deps: RegistryDeps): Promise<RegistryServer[]> {
  const { project } = deps.projects.current();
  const [states, tools] = await Promise.all([listServerStates(deps.db), listKnownTools(deps.db)]);
  const servers = Object.values(project.servers);
  return servers.toSorted(byName).map((server) => toServer(server, project, { state: states[server.name], tools }));
}

/** Without words all tools; otherwise those with every word in server, name, title or description, best first. */
export async function listRegistryTools(
  deps: RegistryDeps,
  filter: { q?: string; server?: string } = {},
): Promise<RegistryTool[]> {
  const { project } = deps.projects.current();
  const lock = deps.projects.lock();
  const [tools, firstUse] = await Promise.all([listKnownTools(deps.db), listFirstUsePins(deps.db)]);
  const listed = tools.flatMap((tool) => {
    const server = Object.hasOwn(project.servers, tool.server) ? project.servers[tool.server] : undefined;
    if (!server || (filter.server !== undefined && server.name !== filter.server)) return [];
    const own = lock === null ? null : (lock[server.name] ?? {});
    return [toTool(server, tool, { lock: own, firstUse: firstUse[server.name] ?? null })];
  });
  return filter.q === undefined ? listed : search(listed, filter.q);
}

/**
 * How many tools changed, or were added, since they were trusted. Needed on every page, so only fingerprints are read.
 */
export async function countUntrustedTools(deps: RegistryDeps): Promise<number> {
  const { project } = deps.projects.current();
  const lock = deps.projects.lock();
  const [prints, firstUse] = await Promise.all([
    listToolPrints(deps.db),
    lock === null ? listFirstUsePins(deps.db) : null,
  ]);
  return prints.filter(
    (tool) =>
      Object.hasOwn(project.servers, tool.server) &&
      !isAsTrusted(tool, lock === null ? null : (lock[tool.server] ?? {}), firstUse?.[tool.server] ?? null),
  ).length;
}

const byName = (left: { name: string }, right: { name: string }) =>
  left.name < right.name ? -1 : left.name > right.name ? 1 : 0;

function toServer(
  server: ProjectServer,
  project: Project,
  { state, tools }: { state: KnownServerState | undefined; tools: readonly KnownTool[] },
): RegistryServer {
  const { definition, name, origin, file } = server;
  const own = tools.filter((tool) => tool.server === name);
  const uses = (agent: ProjectAgent) => agent.servers.some((entry) => entry.server.name === name);
  // Reading a list also shows that the server is alive.
  const seenAt = own.reduce<Date | null>(
    (latest, { lastSeenAt }) => (latest === null || lastSeenAt > latest ? lastSeenAt : latest),
    null,
  );
  return {
    name,
    origin,
    description: definition.description ?? null,
    transport: definition.transport,
    url: definition.url ?? null,
    toolset: definition.toolset ?? null,
    required: definition.required,
    file: file === "" ? null : file,
    agents: listAgents(project)
      .filter(uses)
      .map((agent) => agent.name)
      .sort(),
    profiles: Object.values(project.profiles)
      .filter(({ agent }) => uses(agent))
      .map((profile) => profile.name)
      .sort(),
    tools: own.filter(({ goneAt }) => goneAt === null).length,
    health: state ? (state.reachable ? "ok" : "unreachable") : own.length > 0 ? "ok" : "unknown",
    lastError: state?.lastError ?? null,
    listHash: state?.listHash ?? null,
    listedAt: state?.listedAt ?? seenAt,
    checkedAt: state?.checkedAt ?? seenAt,
  };
}

function toTool(
  server: ProjectServer,
  known: KnownTool,
  { lock, firstUse }: Record<"lock" | "firstUse", PinBook | null>,
): RegistryTool {
  const definition: ToolDefinition = known.definition;
  const danger = assessDanger(definition.annotations, factsOf(server, known.tool));
  const book = lock ?? firstUse ?? {};
  return {
    server: server.name,
    tool: known.tool,
    title: definition.title ?? null,
    description: definition.description ?? null,
    toolset: server.definition.toolset ?? null,
    annotations: definition.annotations ?? null,
    inputSchema: definition.inputSchema,
    outputSchema: definition.outputSchema ?? null,
    danger: danger.level,
    dangerReason: danger.reason,
    readOnly: danger.readOnly,
    destructive: danger.destructive,
    fingerprint: known.fingerprint,
    pinnedFingerprint: (Object.hasOwn(book, known.tool) ? book[known.tool]?.fingerprint : undefined) ?? null,
    pin: judgePin(definition, lock, firstUse),
    firstSeenAt: known.firstSeenAt,
    lastSeenAt: known.lastSeenAt,
    goneAt: known.goneAt,
  };
}

function search(tools: readonly RegistryTool[], q: string): RegistryTool[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const score = (tool: RegistryTool) => {
    const name = `${tool.server}.${tool.tool}`.toLowerCase();
    const text = `${tool.title ?? ""} ${tool.description ?? ""}`.toLowerCase();
    if (!words.every((word) => name.includes(word) || text.includes(word))) return 0;
    return (
      1 + words.filter((word) => name.includes(word)).length * 2 + (words.includes(tool.tool.toLowerCase()) ? 5 : 0)
    );
  };
  return tools
    .map((tool) => ({ tool, score: score(tool) }))
    .filter((each) => each.score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
}
