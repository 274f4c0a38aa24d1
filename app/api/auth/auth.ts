import { cookies, headers } from "next/headers";
import NextAuth from "next-auth";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import {
  KNOWN_BROWSER_COOKIE,
  knownBrowserCookie,
  openKnownBrowser,
  sealKnownBrowser,
} from "@/lib/people/session/known-browser";
import { authOptions, type SignInDoors } from "@/lib/people/session/options";
import { engineDeps } from "@/lib/database/deps";
import { endSession } from "@/lib/people/end-session";
import { signInWithPassword } from "@/lib/people/sign-in-with-password";
import { signInWithProvider } from "@/lib/people/sign-in-with-provider";
import { findSessionUser } from "@/lib/people/queries/find-session-user";

// As a function, so that building the app needs neither secrets nor a database.
export const { handlers, signIn, signOut } = NextAuth(() =>
  authOptions({
    withPassword,
    withProvider: (given) => signInWithProvider(engineDeps(), given),
    endSession: async (session) =>
      endSession(engineDeps(), { ...session, address: (await headers()).get(CLIENT_ADDRESS_HEADER) ?? undefined }),
    isLive: async (session) => (await findSessionUser(engineDeps().db, session)) !== null,
  }),
);

/** The browser is known from the first successful sign-in on. */
async function withPassword(
  given: Parameters<SignInDoors["withPassword"]>[0],
): ReturnType<SignInDoors["withPassword"]> {
  const jar = await cookies();
  const browser = await openKnownBrowser(jar.get(KNOWN_BROWSER_COOKIE)?.value);
  const answer = await signInWithPassword(engineDeps(), { ...given, browser });
  if ("refused" in answer) return answer;
  const { userId } = answer;
  const id = browser?.userId === userId ? browser.id : crypto.randomUUID();
  // Only a trusted proxy can set it; what a client sends is removed before.
  const isHttps = (await headers()).get("x-forwarded-proto") === "https";
  jar.set(KNOWN_BROWSER_COOKIE, await sealKnownBrowser({ id, userId }), knownBrowserCookie(isHttps));
  return answer;
}
