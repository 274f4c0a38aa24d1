/**
 * A browser in which a person has signed in before carries a sealed cookie that says so. Strangers can use up the
 * attempts that an account allows; such a browser has attempts of its own, so nobody can lock a person out of the
 * browser they work with.
 */
import { decode, encode } from "next-auth/jwt";
import { sessionSecrets } from "@/lib/people/session/secrets";
import { KNOWN_BROWSER_AGE_MAX_S } from "@/lib/limits";

export const KNOWN_BROWSER_COOKIE = "kimitsu-known-browser";

export interface KnownBrowser {
  id: string;
  userId: string;
}

export function sealKnownBrowser({ id, userId }: KnownBrowser): Promise<string> {
  return encode({
    token: { sub: userId, browser: id },
    secret: sessionSecrets(),
    salt: KNOWN_BROWSER_COOKIE,
    maxAge: KNOWN_BROWSER_AGE_MAX_S,
  });
}

/** Not readable by scripts, and not sent along from other sites. */
export const knownBrowserCookie = (isHttps: boolean) => ({
  httpOnly: true,
  sameSite: "lax" as const,
  secure: isHttps,
  path: "/",
  maxAge: KNOWN_BROWSER_AGE_MAX_S,
});

/** Null for a cookie that is absent, too old, or not ours. */
export async function openKnownBrowser(sealed: string | undefined): Promise<KnownBrowser | null> {
  if (!sealed) return null;
  try {
    const note = await decode({ token: sealed, secret: sessionSecrets(), salt: KNOWN_BROWSER_COOKIE });
    return note?.sub && typeof note.browser === "string" ? { id: note.browser, userId: note.sub } : null;
  } catch {
    return null;
  }
}
