import type { Db } from "@/lib/database/client";

export interface StoredSession {
  id: string;
  tokenId: string;
  profile: string;
  clientName: string;
  clientVersion: string;
  protocolVersion: string;
}

const SHOWN = {
  id: true,
  tokenId: true,
  profile: true,
  clientName: true,
  clientVersion: true,
  protocolVersion: true,
} as const;

/** Null for a session that was ended or belongs to another token: neither is told from one that never was. */
export function findSessionByTransport(
  db: Db,
  { tokenId, transportHash }: { tokenId: string; transportHash: string },
): Promise<StoredSession | null> {
  return db.clientSession.findFirst({ where: { transportHash, tokenId, endedAt: null }, select: SHOWN });
}

/** The session of a client that states none: the last one of the same token and client, unless it was silent too long. */
export function findRecentSession(
  db: Db,
  client: Pick<StoredSession, "tokenId" | "profile" | "clientName" | "clientVersion">,
  since: Date,
): Promise<StoredSession | null> {
  const { tokenId, profile, clientName, clientVersion } = client;
  return db.clientSession.findFirst({
    where: {
      tokenId,
      profile,
      clientName,
      clientVersion,
      transportHash: null,
      endedAt: null,
      lastSeenAt: { gt: since },
    },
    orderBy: { lastSeenAt: "desc" },
    select: SHOWN,
  });
}
