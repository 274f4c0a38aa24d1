import { getToken } from "next-auth/jwt";
import { CLIENT_ADDRESS_HEADER } from "@/lib/auth/client-address";
import type { Session } from "@/lib/auth/principal";
import { sessionSecrets } from "@/lib/auth/secrets";
import { db } from "@/lib/store/client";
import { findSessionUser } from "@/lib/store/queries/find-session-user";

const SECURE_COOKIE = "__Secure-authjs.session-token";

/**
 * The person behind a session cookie, as they are now: the cookie only says who, everything else is read from the database,
 * so that a changed role or a disabled account holds from the next request on.
 */
export async function readSession(headers: Headers): Promise<Session | null> {
  const secureCookie = headers.get("cookie")?.includes(SECURE_COOKIE) ?? false;
  const token = await getToken({ req: { headers }, secret: sessionSecrets(), secureCookie });
  if (!token?.sub) return null;
  const user = await findSessionUser(db(), token.sub);
  if (!user || user.sessionVersion !== token.sessionVersion) return null;
  const { id, name, email, role, groups, preferences } = user;
  return { user: { id, name, email, role, groups }, preferences, address: headers.get(CLIENT_ADDRESS_HEADER) ?? undefined };
}
