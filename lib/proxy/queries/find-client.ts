/** Which MCP client made the calls of a run, and what its session did before. */
import type { Db } from "@/lib/database/client";
import { showClientName } from "@/lib/proxy/queries/client-name";
import { type ClientCall, listClientCalls } from "@/lib/runs/queries/list-client-calls";

export interface RunClient {
  sessionId: string;
  /** As the client calls itself. */
  name: string;
  profile: string;
}

export interface AskingClient extends RunClient {
  token: string;
  /** When the session began, and when the client was last heard of. */
  since: string;
  lastSeenAt: string;
  /** The calls before this one, newest first. */
  before: (ClientCall & { at: string })[];
  /** Whether there are more of them. */
  hasMore: boolean;
}

const BEFORE_SHOWN = 5;

/** By run; runs that no client made, or whose session is no longer on record, are left out. */
export async function findClients(db: Db, runIds: readonly string[]): Promise<ReadonlyMap<string, RunClient>> {
  if (runIds.length === 0) return new Map();
  const rows = await db.run.findMany({
    where: { id: { in: [...runIds] }, sessionId: { not: null } },
    select: { id: true, session: { select: { id: true, clientName: true, clientVersion: true, profile: true } } },
  });
  const clients = rows.flatMap(({ id, session }) => (session ? [[id, toClient(session)] as const] : []));
  return new Map(clients);
}

/** For a card: who asks, and what they did before. */
export async function findAskingClient(db: Db, runId: string): Promise<AskingClient | null> {
  const row = await db.run.findUnique({
    where: { id: runId },
    select: { session: { include: { token: { select: { name: true } } } } },
  });
  const session = row?.session;
  if (!session) return null;
  const earlier = await db.run.findMany({
    where: { sessionId: session.id, id: { lt: runId } },
    orderBy: { id: "desc" },
    take: BEFORE_SHOWN + 1,
    select: { id: true, createdAt: true },
  });
  const shown = earlier.slice(0, BEFORE_SHOWN);
  const calls = await listClientCalls(
    db,
    shown.map(({ id }) => id),
  );
  return {
    ...toClient(session),
    token: session.token.name,
    since: session.createdAt.toISOString(),
    lastSeenAt: session.lastSeenAt.toISOString(),
    before: shown.flatMap(({ id, createdAt }) => {
      const call = calls.get(id);
      return call ? [{ ...call, at: createdAt.toISOString() }] : [];
    }),
    hasMore: earlier.length > BEFORE_SHOWN,
  };
}

interface SessionRow {
  id: string;
  clientName: string;
  clientVersion: string;
  profile: string;
}

const toClient = ({ id, clientName, clientVersion, profile }: SessionRow): RunClient => ({
  sessionId: id,
  name: showClientName(clientName, clientVersion),
  profile,
});
