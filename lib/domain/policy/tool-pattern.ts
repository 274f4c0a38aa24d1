/** How a pattern of an allowlist or of a policy fits a tool. Only a `*` at the end is a wildcard; all else is literal. */

export interface ToolName {
  server: string;
  tool: string;
}

export function formatToolName({ server, tool }: ToolName): string {
  return `${server}.${tool}`;
}

/** Fits one name, such as the tool names of one server's allowlist. */
export function matchesName(pattern: string, name: string): boolean {
  if (pattern.slice(0, -1).includes("*")) return false;
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** Exact names beat prefixes, longer prefixes beat shorter ones, and `*` comes last. */
export function specificity(pattern: string): number {
  return pattern.endsWith("*") ? pattern.length - 1 : Number.MAX_SAFE_INTEGER;
}

/**
 * Policies name tools across servers, as `tool` or as `server.tool`. To refuse or to ask, either reading counts. To
 * allow, a pattern with a dot names a server: otherwise a server could get another one's grant by naming a tool `crm.read`.
 */
export function matchesTool(pattern: string, name: ToolName, purpose: "allow" | "restrict"): boolean {
  const asQualified = matchesName(pattern, formatToolName(name));
  const asBare = matchesName(pattern, name.tool);
  if (purpose === "restrict") return asQualified || asBare;
  return pattern.includes(".") ? asQualified : asBare;
}
