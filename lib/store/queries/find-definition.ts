import type { ToolDefinition } from "@/lib/domain/tool-fingerprint";
import type { Db } from "@/lib/store/client";

/** A definition as it was seen, by its fingerprint. */
export async function findDefinition(db: Db, server: string, tool: string, fingerprint: string): Promise<ToolDefinition | null> {
  const row = await db.toolDefinition.findUnique({ where: { server_tool_fingerprint: { server, tool, fingerprint } } });
  return row && (row.definition as unknown as ToolDefinition);
}
