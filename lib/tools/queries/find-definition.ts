import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import type { Db } from "@/lib/database/client";

/** A definition as it was seen, by its fingerprint. */
export async function findDefinition(
  db: Db,
  { server, tool, fingerprint }: { server: string; tool: string; fingerprint: string },
): Promise<ToolDefinition | null> {
  const row = await db.toolDefinition.findUnique({ where: { server_tool_fingerprint: { server, tool, fingerprint } } });
  return row && (row.definition as unknown as ToolDefinition);
}

/**
 * By fingerprint alone: an agent may use another name for a server than the one its tools are stored under, and the
 * fingerprint covers the whole definition.
 */
export async function findDefinitionOf(db: Db, tool: string, fingerprint: string): Promise<ToolDefinition | null> {
  const row = await db.toolDefinition.findFirst({ where: { tool, fingerprint }, select: { definition: true } });
  return row && (row.definition as unknown as ToolDefinition);
}
