import type { ListedSession } from "@/components/clients/session-table";
import type { SessionSummary } from "@/lib/proxy/queries/list-sessions";

/** A session as the table takes it. */
export function toListedSession(session: SessionSummary, now: Date): ListedSession {
  const { id, client, profile, token, person, calls, costUsd, lastSeenAt } = session;
  return {
    id,
    client,
    profile,
    calls,
    costUsd,
    token: token.name,
    person: person.name,
    over: describeOver(session, now),
    lastSeenAt: lastSeenAt.toISOString(),
  };
}

/** Why no more calls can come of it; null while they can. */
export function describeOver({ token, endedAt }: SessionSummary, now: Date): string | null {
  if (token.revokedAt !== null) return "Token revoked";
  if (token.expiresAt !== null && token.expiresAt <= now) return "Token expired";
  return endedAt === null ? null : "Ended";
}
