/**
 * Stores every definition of a tool that was ever seen, records which tools are no longer listed and, without a lock
 * file, the first definition as the trusted one. Returns the pins that held before this list was seen; null when the
 * server was never seen, so that its first list is trusted.
 */
import { pinOf, type ToolDefinition } from "@/lib/tools/rules/tool-fingerprint";
import type { PinBook } from "@/lib/tools/rules/tool-pin";
import type { Db } from "@/lib/database/client";

export interface SeenTools {
  server: string;
  hash: string;
  tools: readonly ToolDefinition[];
  hasLock: boolean;
}

/**
 * By database, because tests have many in one process: the last written list of each server, and pins, which never
 * change once set. Only the last, so that a server that returns to an earlier list is recorded again.
 */
const known = new WeakMap<Db, { written: Map<string, string>; pins: Map<string, PinBook> }>();

function knownOf(db: Db) {
  const found = known.get(db) ?? { written: new Map<string, string>(), pins: new Map<string, PinBook>() };
  known.set(db, found);
  return found;
}

export async function rememberTools(db: Db, seen: SeenTools, at: Date): Promise<PinBook | null> {
  const { written, pins } = knownOf(db);
  const list = `${seen.hash}\n${seen.hasLock}`;
  if (written.get(seen.server) !== list) {
    const rows = seen.tools.map((tool) => ({ tool: tool.name, ...pinOf(tool), definition: tool }));
    await db.$executeRaw`
      WITH seen AS (
        SELECT s.tool, s.fingerprint, s.shape, s.definition FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS s (tool text, fingerprint text, shape text, definition jsonb)
      ), defined AS (
        INSERT INTO tool_definitions (server, tool, fingerprint, definition, first_seen_at, last_seen_at)
        SELECT ${seen.server}, tool, fingerprint, definition, ${at}, ${at} FROM seen
        ON CONFLICT (server, tool, fingerprint) DO UPDATE SET last_seen_at = excluded.last_seen_at, gone_at = NULL
      ), missed AS (
        UPDATE tool_definitions SET gone_at = ${at} WHERE server = ${seen.server} AND gone_at IS NULL AND tool NOT IN (SELECT tool FROM seen)
      )
      INSERT INTO tool_pins (server, tool, fingerprint, shape, source, pinned_at)
      SELECT ${seen.server}, tool, fingerprint, shape, 'first_use', ${at} FROM seen
      WHERE NOT ${seen.hasLock} AND NOT EXISTS (SELECT 1 FROM tool_pins WHERE server = ${seen.server})
      ON CONFLICT DO NOTHING`;
    written.set(seen.server, list);
  }
  if (seen.hasLock) return null;
  const cached = pins.get(seen.server);
  if (cached) return cached;
  const rows = await db.toolPin.findMany({ where: { server: seen.server } });
  if (rows.length === 0) return null;
  const book: PinBook = Object.fromEntries(
    rows.map((pin) => [pin.tool, { fingerprint: pin.fingerprint, shape: pin.shape }]),
  );
  pins.set(seen.server, book);
  return book;
}
