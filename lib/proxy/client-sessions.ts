/**
 * Which session a request belongs to. Known sessions cost no statement: the time of the last request is written at most
 * once a minute, outside the request.
 */
import { createHash } from "node:crypto";
import { SESSION_GAP_MS, SESSION_LAST_SEEN_EVERY_MS } from "@/lib/limits";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { cleanText } from "@/lib/text/tool-text";
import { findRecentSession, findSessionByTransport, type StoredSession } from "@/lib/proxy/queries/find-session";
import { openSessionRow, touchSession } from "@/lib/proxy/transitions/write-session";

export interface ClientClaim {
  tokenId: string;
  profile: string;
  /** What the client says of itself; shown to people, never relied on. */
  clientName: string;
  clientVersion: string;
  protocolVersion: string;
  /** Its own id of the conversation, if it gives one. */
  conversation: string | null;
}

interface KnownSession {
  id: Promise<string>;
  seenAt: number;
}

const KNOWN_MAX = 10_000;
const NAME_LENGTH_MAX = 100;

export interface ClientSessions {
  /** For a client without a session of the protocol's own. */
  find(claim: ClientClaim): Promise<string>;
  /** For a new session of the protocol; its id is kept as a hash alone. */
  open(claim: ClientClaim, transportId: string): Promise<string>;
  /** The session of that id, when this token opened it. */
  restore(tokenId: string, transportId: string): Promise<StoredSession | null>;
  /** A request came. */
  touch(sessionId: string): void;
  forget(tokenId: string): void;
}

export const hashOf = (...parts: string[]): string => createHash("sha256").update(parts.join("\0")).digest("hex");

export function createClientSessions({ db, now }: EngineDeps): ClientSessions {
  const known = new Map<string, KnownSession>();
  const writtenAt = new Map<string, number>();

  const touch = (sessionId: string) => {
    const at = now();
    const last = writtenAt.get(sessionId);
    if (last !== undefined && at.getTime() - last < SESSION_LAST_SEEN_EVERY_MS) return;
    if (writtenAt.size >= KNOWN_MAX) writtenAt.clear();
    writtenAt.set(sessionId, at.getTime());
    if (last === undefined) return;
    touchSession(db, sessionId, at).catch((error: unknown) =>
      log.warn({ err: error, session: sessionId }, "a session's last request was not written"),
    );
  };

  const insert = (claim: ClientClaim, transportHash: string | null) =>
    openSessionRow(db, { id: createId("session"), ...shorten(claim), transportHash }, now());

  const read = async (claim: ClientClaim, transportHash: string | null): Promise<string> => {
    if (transportHash !== null) return insert(claim, transportHash);
    const since = new Date(now().getTime() - SESSION_GAP_MS);
    return (await findRecentSession(db, shorten(claim), since))?.id ?? (await insert(claim, null));
  };

  return {
    touch,
    async find(claim) {
      const { tokenId, profile, clientName, clientVersion, conversation } = claim;
      const key = `${tokenId}\0${hashOf(profile, clientName, clientVersion, conversation ?? "")}`;
      const nowMs = now().getTime();
      const before = known.get(key);
      if (before && nowMs - before.seenAt < SESSION_GAP_MS) {
        before.seenAt = nowMs;
        const id = await before.id;
        touch(id);
        return id;
      }
      if (known.size >= KNOWN_MAX) known.clear();
      const id = read(claim, conversation === null ? null : hashOf("conversation", tokenId, conversation));
      const session = { id, seenAt: nowMs };
      known.set(key, session);
      id.catch(() => known.get(key) === session && known.delete(key));
      touch(await id);
      return id;
    },
    open: (claim, transportId) => insert(claim, hashOf(transportId)),
    restore: (tokenId, transportId) => findSessionByTransport(db, { tokenId, transportHash: hashOf(transportId) }),
    forget(tokenId) {
      for (const key of known.keys()) if (key.startsWith(`${tokenId}\0`)) known.delete(key);
    },
  };
}

function shorten(claim: ClientClaim): Omit<StoredSession, "id"> {
  const { tokenId, profile, clientName, clientVersion, protocolVersion } = claim;
  const short = (text: string) => cleanText(text.slice(0, NAME_LENGTH_MAX)).replaceAll("\n", " ");
  return {
    tokenId,
    profile,
    clientName: short(clientName),
    clientVersion: short(clientVersion),
    protocolVersion: short(protocolVersion),
  };
}
