import { cookies, headers } from "next/headers";
import NextAuth from "next-auth";
import { KNOWN_BROWSER_COOKIE, knownBrowserCookie, openKnownBrowser, sealKnownBrowser } from "@/lib/auth/known-browser";
import { authOptions, type SignInDoors } from "@/lib/auth/options";
import { engineDeps } from "@/lib/engine/deps";
import { signInWithPassword } from "@/lib/engine/sign-in-with-password";
import { signInWithProvider } from "@/lib/engine/sign-in-with-provider";

// As a function, so that building the app needs neither secrets nor a database.
export const { handlers, signIn, signOut } = NextAuth(() =>
  authOptions({
    withPassword,
    withProvider: (given) => signInWithProvider(engineDeps(), given),
  }),
);

/** The browser in which it worked is known from then on. */
async function withPassword(given: Parameters<SignInDoors["withPassword"]>[0]): ReturnType<SignInDoors["withPassword"]> {
  const jar = await cookies();
  const browser = await openKnownBrowser(jar.get(KNOWN_BROWSER_COOKIE)?.value);
  const answer = await signInWithPassword(engineDeps(), { ...given, browser });
  if ("refused" in answer) return answer;
  const { userId } = answer;
  const id = browser?.userId === userId ? browser.id : crypto.randomUUID();
  // Only a proxy that is trusted can say so; what a client claims is removed before.
  const isHttps = (await headers()).get("x-forwarded-proto") === "https";
  jar.set(KNOWN_BROWSER_COOKIE, await sealKnownBrowser({ id, userId }), knownBrowserCookie(isHttps));
  return answer;
}
