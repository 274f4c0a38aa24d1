import type { ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import type { PinBook } from "@/lib/tools/rules/tool-pin";
import type { Db } from "@/lib/database/client";

export interface KnownTool {
  server: string;
  tool: string;
  fingerprint: string;
  definition: ToolDefinition;
  firstSeenAt: Date;
  lastSeenAt: Date;
  /** Null while its server lists it. */
  goneAt: Date | null;
}

export interface KnownServerState {
  reachable: boolean;
  lastError: string | null;
  listHash: string | null;
  listedAt: Date | null;
  checkedAt: Date;
}

/** Each tool as it was last seen. */
export async function listKnownTools(db: Db): Promise<KnownTool[]> {
  const rows = await db.toolDefinition.findMany({
    distinct: ["server", "tool"],
    orderBy: [{ server: "asc" }, { tool: "asc" }, { lastSeenAt: "desc" }, { firstSeenAt: "desc" }],
  });
  return rows.map((row) => ({ ...row, definition: row.definition as unknown as ToolDefinition }));
}

/**
 * The last seen fingerprint of each tool that its server still lists. By the primary key, and without the definitions.
 */
export async function listToolPrints(db: Db): Promise<{ server: string; tool: string; fingerprint: string }[]> {
  return db.$queryRaw<{ server: string; tool: string; fingerprint: string }[]>`
    SELECT server, tool, fingerprint FROM (
      SELECT DISTINCT ON (server, tool) server, tool, fingerprint, gone_at FROM tool_definitions ORDER BY server, tool, last_seen_at DESC, first_seen_at DESC
    ) AS latest WHERE gone_at IS NULL`;
}

/** The pins made when a server was first seen, by server. */
export async function listFirstUsePins(db: Db): Promise<Record<string, PinBook>> {
  const rows = await db.toolPin.findMany({ where: { source: "first_use" } });
  const books: Record<string, Record<string, { fingerprint: string; shape: string }>> = {};
  for (const { server, tool, fingerprint, shape } of rows) (books[server] ??= {})[tool] = { fingerprint, shape };
  return books;
}

export async function listServerStates(db: Db): Promise<Record<string, KnownServerState>> {
  const rows = await db.toolServerState.findMany();
  return Object.fromEntries(rows.map(({ name, ...state }) => [name, state]));
}
