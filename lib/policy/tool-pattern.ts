/**
 * Whether a pattern of an allowlist or of a policy matches a tool. Only a `*` at the end is a wildcard; all else is
 * literal.
 */

export interface ToolName {
  /** The name that the agent, the model and the API use for the server. */
  server: string;
  /** The server's own name. Two agents may use two names for one server, or one name for two. */
  definition: string;
  tool: string;
}

export function formatToolName({ server, tool }: Pick<ToolName, "server" | "tool">): string {
  return `${server}.${tool}`;
}

/** Matches one name, such as the tool names of one server's allowlist. */
export function matchesName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Exact names come before prefixes, longer prefixes before shorter ones, and `*` is last. */
export function specificity(pattern: string): number {
  return pattern.endsWith("*") ? pattern.length - 1 : Number.MAX_SAFE_INTEGER;
}

/**
 * Policies name tools across servers, as `tool` or as `server.tool`. To refuse or to ask, every reading counts. To
 * allow, a pattern with a dot names a server: otherwise a server could get another one's grant by naming a tool
 * `crm.read`. What the project allows is meant for the server's own name, because an agent could give that name to
 * another server.
 */
export function matchesTool(
  pattern: string,
  name: ToolName,
  purpose: "restrict" | "project_allow" | "agent_allow",
): boolean {
  const asDefinition = matchesName(pattern, `${name.definition}.${name.tool}`);
  const asKnown = matchesName(pattern, formatToolName(name));
  const asBare = matchesName(pattern, name.tool);
  if (purpose === "restrict") return asDefinition || asKnown || asBare;
  if (!pattern.includes(".")) return asBare;
  return asDefinition || (purpose === "agent_allow" && asKnown);
}
