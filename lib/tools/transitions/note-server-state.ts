/**
 * Records the last known state of a tool server, for everybody to see. An unchanged state is written again only after a
 * while.
 */
import type { Db } from "@/lib/database/client";

export interface SeenServer {
  name: string;
  /** Null when it answered. */
  error: string | null;
  /** Hash of its tool list, when it answered. */
  listHash: string | null;
}

const SAME_AGAIN_MS = 15_000;
/** By database, because tests have many in one process. */
const noted = new WeakMap<Db, Map<string, { mark: string; at: number }>>();

export async function noteServerState(db: Db, seen: SeenServer, at: Date): Promise<void> {
  const own = noted.get(db) ?? new Map<string, { mark: string; at: number }>();
  noted.set(db, own);
  const mark = `${seen.error}\n${seen.listHash}`;
  const last = own.get(seen.name);
  if (last?.mark === mark && Math.abs(at.getTime() - last.at) < SAME_AGAIN_MS) return;
  own.set(seen.name, { mark, at: at.getTime() });
  const isReachable = seen.error === null;
  // A later observation of another process is kept.
  await db.$executeRaw`
    INSERT INTO tool_server_states (name, reachable, last_error, list_hash, listed_at, checked_at)
    VALUES (${seen.name}, ${isReachable}, ${seen.error}, ${seen.listHash}, CASE WHEN ${isReachable} THEN ${at}::timestamptz END, ${at})
    ON CONFLICT (name) DO UPDATE SET reachable = excluded.reachable, last_error = excluded.last_error,
      list_hash = coalesce(excluded.list_hash, tool_server_states.list_hash), listed_at = coalesce(excluded.listed_at, tool_server_states.listed_at),
      checked_at = excluded.checked_at
      WHERE tool_server_states.checked_at <= excluded.checked_at`;
}
