import { getToken } from "next-auth/jwt";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import type { Session } from "@/lib/people/session/principal";
import { sessionSecrets } from "@/lib/people/session/secrets";
import { sessionIdOf } from "@/lib/people/session/session-id";
import { db } from "@/lib/database/client";
import { findSessionUser } from "@/lib/people/queries/find-session-user";

const SECURE_COOKIE = "__Secure-authjs.session-token";

/**
 * The person behind a session cookie, as they are now: the cookie only says who, everything else is read from the
 * database, so that a changed role, a disabled account or a sign-out applies from the next request on.
 */
export async function readSession(headers: Headers): Promise<Session | null> {
  const secureCookie = headers.get("cookie")?.includes(SECURE_COOKIE) ?? false;
  const token = await getToken({ req: { headers }, secret: sessionSecrets(), secureCookie });
  if (!token?.sub) return null;
  const sessionId = sessionIdOf(token);
  const user = await findSessionUser(db(), { id: sessionId, userId: token.sub });
  if (!user || user.sessionVersion !== token.sessionVersion) return null;
  const { id, name, email, role, groups, preferences, sessionVersion } = user;
  return {
    user: { id, name, email, role, groups },
    session: { id: sessionId, version: sessionVersion },
    preferences,
    address: headers.get(CLIENT_ADDRESS_HEADER) ?? undefined,
  };
}
