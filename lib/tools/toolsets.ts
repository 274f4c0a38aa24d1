/**
 * Which tools a model may know and call. A loaded toolset is available from the next turn. Pure: granting is up to the
 * policy; this only hides what is not loaded.
 */
import { z } from "zod";
import type { Agent } from "@/lib/config/agent-schema";
import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";

export const LOAD_TOOLSET = "load_toolset";

const argumentsSchema = z.strictObject({ toolset: z.string(), include_write_tools: z.boolean().default(false) });

/**
 * By toolset: true when its write tools are loaded too. Follows from the agent's file and the recorded calls of
 * `load_toolset`.
 */
export type LoadedToolsets = Readonly<Record<string, { writes: boolean }>>;

export interface OfferedTool {
  server: string;
  /** The server's `toolset`; null means always offered. */
  toolset: string | null;
  definition: ToolDefinition;
  /** From `assessDanger`: declared read-only by someone and contradicted by nobody. */
  readOnly: boolean;
}

/** What the agent's file lists; its write tools only where the file says so. */
export function initialToolsets(toolsets: NonNullable<Agent["toolsets"]>): LoadedToolsets {
  const entries = toolsets.map((entry) => (typeof entry === "string" ? { name: entry, write: false } : entry));
  return Object.fromEntries(
    entries.map(({ name }) => [name, { writes: entries.some((other) => other.name === name && other.write) }]),
  );
}

/**
 * What is loaded after calls of `load_toolset` that succeeded, given by their arguments in the order of their turns.
 */
export function loadRecorded(initial: LoadedToolsets, calls: readonly unknown[]): LoadedToolsets {
  return calls.reduce<LoadedToolsets>((loaded, args) => {
    const parsed = argumentsSchema.safeParse(args);
    return parsed.success ? withToolset(loaded, parsed.data) : loaded;
  }, initial);
}

/** Never loads less than was loaded. */
function withToolset(
  loaded: LoadedToolsets,
  { toolset, include_write_tools: includeWrites }: z.infer<typeof argumentsSchema>,
): LoadedToolsets {
  const before = Object.hasOwn(loaded, toolset) ? loaded[toolset]!.writes : false;
  return { ...loaded, [toolset]: { writes: before || includeWrites } };
}

/** The answer to a call of a tool that is not loaded. */
export function describeUnloaded(tool: Pick<OfferedTool, "server" | "toolset" | "readOnly" | "definition">): string {
  const args = { toolset: tool.toolset, ...(tool.readOnly ? {} : { include_write_tools: true }) };
  const part = tool.readOnly ? "" : "the writing tools of ";
  return `${tool.server}.${tool.definition.name} was not called: it belongs to ${part}the toolset ${JSON.stringify(tool.toolset)}, which ${tool.readOnly ? "is" : "are"} not loaded. Call ${LOAD_TOOLSET} with ${JSON.stringify(args)} first; the tool can be called from the next turn on.`;
}

export function selectTools<T extends OfferedTool>(tools: readonly T[], loaded: LoadedToolsets): T[] {
  return tools.filter(({ toolset, readOnly }) => {
    if (toolset === null) return true;
    const state = Object.hasOwn(loaded, toolset) ? loaded[toolset] : undefined;
    return state !== undefined && (readOnly || state.writes);
  });
}

/** The virtual tool, or null when everything is loaded already. */
export function describeLoadToolset(tools: readonly OfferedTool[], loaded: LoadedToolsets): ToolDefinition | null {
  const missing = listMissing(tools, loaded);
  if (missing.length === 0) return null;
  const lines = missing.map(({ toolset, reads, writes }) => `- ${toolset}: ${reads} that read, ${writes} that write`);
  return {
    name: LOAD_TOOLSET,
    description: `Adds the tools of a toolset from the next turn on. Tools that are not loaded yet:\n${lines.join("\n")}`,
    inputSchema: {
      type: "object",
      properties: {
        toolset: { type: "string", enum: missing.map(({ toolset }) => toolset), description: "Name of the toolset" },
        include_write_tools: {
          type: "boolean",
          default: false,
          description: "True: also the tools that change something",
        },
      },
      required: ["toolset"],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

export interface LoadToolsetAnswer {
  loaded: LoadedToolsets;
  is_error: boolean;
  output: string;
}

/** Never loads less than was loaded. An answer with `is_error` leaves the state as it was. */
export function applyLoadToolset(
  tools: readonly OfferedTool[],
  loaded: LoadedToolsets,
  args: unknown,
): LoadToolsetAnswer {
  const parsed = argumentsSchema.safeParse(args);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "arguments"}: ${message}`);
    return { loaded, is_error: true, output: `${LOAD_TOOLSET} was not run. ${problems.join("; ")}.` };
  }
  const { toolset } = parsed.data;
  const known = [...new Set(tools.flatMap((tool) => tool.toolset ?? []))];
  if (!known.includes(toolset)) {
    return {
      loaded,
      is_error: true,
      output: `There is no toolset ${JSON.stringify(toolset.slice(0, 100))}; there are ${known.join(", ") || "none"}.`,
    };
  }
  const after = withToolset(loaded, parsed.data);
  const offered = new Set(selectTools(tools, loaded));
  const names = selectTools(tools, after)
    .filter((tool) => !offered.has(tool))
    .map((tool) => `${tool.server}.${tool.definition.name}`);
  const heldBack = tools.filter((tool) => tool.toolset === toolset && !tool.readOnly).length;
  const note =
    after[toolset]!.writes || heldBack === 0
      ? ""
      : ` ${heldBack} tools that write are left out; ask with include_write_tools to get them.`;
  return {
    loaded: after,
    is_error: false,
    output: `${names.length > 0 ? `From the next turn on: ${names.join(", ")}.` : "Nothing new."}${note}`,
  };
}

function listMissing(tools: readonly OfferedTool[], loaded: LoadedToolsets) {
  const offered = new Set(selectTools(tools, loaded));
  const counts = new Map<string, { reads: number; writes: number }>();
  for (const tool of tools) {
    if (tool.toolset === null || offered.has(tool)) continue;
    const count = counts.get(tool.toolset) ?? { reads: 0, writes: 0 };
    counts.set(
      tool.toolset,
      tool.readOnly ? { ...count, reads: count.reads + 1 } : { ...count, writes: count.writes + 1 },
    );
  }
  return [...counts]
    .map(([toolset, count]) => ({ toolset, ...count }))
    .toSorted((left, right) => (left.toolset < right.toolset ? -1 : 1));
}
