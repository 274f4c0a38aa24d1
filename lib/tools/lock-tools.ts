/** Builds the lock file's entries from the tools that servers list, and the changes to them. Pure. */
import type { LockedServer, LockedTool, ToolsLock } from "@/lib/config/tools-lock";
import { fingerprintToolSet, pinOf, type ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import { mapText, showInvisible } from "@/lib/text/tool-text";

export function lockServer(tools: readonly ToolDefinition[]): LockedServer {
  return {
    hash: fingerprintToolSet(tools),
    tools: Object.fromEntries(tools.map((tool) => [tool.name, lockTool(tool)])),
  };
}

function lockTool(tool: ToolDefinition): LockedTool {
  const described = describeArguments(tool.inputSchema);
  return {
    ...pinOf(tool),
    ...(tool.title !== undefined && { title: show(tool.title) }),
    ...(tool.description !== undefined && { description: show(tool.description) }),
    ...(tool.annotations !== undefined && { annotations: mapText(tool.annotations, show) as Record<string, unknown> }),
    ...(Object.keys(described).length > 0 && { arguments: described }),
  };
}

/** YAML handles line breaks well; trailing space would force the text into quotes. */
function show(text: string): string {
  return text
    .split("\n")
    .map((line) => showInvisible(line).trimEnd())
    .join("\n")
    .trim();
}

function describeArguments(schema: Readonly<Record<string, unknown>>): Record<string, string> {
  const properties = (isRecord(schema.properties) ? schema.properties : {}) as Record<string, unknown>;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => {
      const property = isRecord(value) ? value : {};
      const type = Array.isArray(property.enum)
        ? `one of ${JSON.stringify(property.enum)}`
        : [property.type].flat().map(String).join(" or ").replace("undefined", "any");
      const text = [
        `${type}${required.includes(name) ? ", required" : ""}`,
        typeof property.description === "string" ? property.description : "",
      ]
        .filter(Boolean)
        .join(": ");
      return [showInvisible(name), showInvisible(text.replaceAll("\n", " "))];
    }),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

export interface LockChange {
  server: string;
  tool: string;
  kind: "added" | "removed" | "changed" | "renamed";
  /** For a renamed tool: its earlier name. */
  from?: string;
  /** What a reader of the lock would see change, line by line; empty when only the inside of a schema differs. */
  lines: string[];
}

/** What differs between two locks, by server in alphabetical order. */
export function diffLocks(before: ToolsLock | null, after: ToolsLock): LockChange[] {
  const servers = new Set([...Object.keys(before?.servers ?? {}), ...Object.keys(after.servers)]);
  return [...servers]
    .toSorted()
    .flatMap((server) => diffServer(server, before?.servers[server]?.tools ?? {}, after.servers[server]?.tools ?? {}));
}

function diffServer(
  server: string,
  before: Record<string, LockedTool>,
  after: Record<string, LockedTool>,
): LockChange[] {
  const removed = new Set(Object.keys(before).filter((name) => !Object.hasOwn(after, name)));
  const changes: LockChange[] = [];
  for (const [tool, locked] of Object.entries(after)) {
    const known = Object.hasOwn(before, tool) ? before[tool] : undefined;
    if (known?.fingerprint === locked.fingerprint) continue;
    const from = known ? undefined : [...removed].find((name) => before[name]!.shape === locked.shape);
    if (from !== undefined) removed.delete(from);
    const kind = known ? "changed" : from === undefined ? "added" : "renamed";
    changes.push({
      server,
      tool,
      kind,
      ...(from !== undefined && { from }),
      lines: diffLines(known ? toLines(known) : from === undefined ? [] : toLines(before[from]!), toLines(locked)),
    });
  }
  changes.push(...[...removed].map((tool): LockChange => ({ server, tool, kind: "removed", lines: [] })));
  return changes.toSorted((left, right) => (left.tool < right.tool ? -1 : 1));
}

function toLines({ title, description, annotations, arguments: args }: LockedTool): string[] {
  return [
    ...(title === undefined ? [] : [`title: ${title}`]),
    ...(description ?? "").split("\n").filter(Boolean),
    ...Object.entries(annotations ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...Object.entries(args ?? {}).map(([name, text]) => `${name} (${text})`),
  ];
}

/** Lines that are in only one of the two. Texts are short, and whether a line moved does not matter. */
function diffLines(before: readonly string[], after: readonly string[]): string[] {
  return [
    ...before.filter((line) => !after.includes(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
  ];
}
