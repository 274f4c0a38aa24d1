import { CredentialsSignin, type NextAuthConfig } from "next-auth";
import type { JWT } from "next-auth/jwt";
import Credentials from "next-auth/providers/credentials";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import { authProviders } from "@/lib/people/session/providers";
import { sessionSecrets } from "@/lib/people/session/secrets";
import { sessionIdOf } from "@/lib/people/session/session-id";
import { SESSION_AGE_MAX_S } from "@/lib/limits";

declare module "next-auth" {
  interface User {
    sessionVersion?: number;
  }
}

declare module "next-auth/jwt" {
  interface JWT {
    sessionVersion?: number;
    /** The session's id: made at sign-in, kept when the cookie is renewed. */
    sid?: string;
  }
}

export interface Admitted {
  userId: string;
  sessionVersion: number;
}

export type SignInRefusal =
  | { refused: "credentials" | "disabled" | "not_invited" | "email_unverified" }
  | { refused: "rate_limited"; retryAfterS: number };

/** What signing in and out calls; passed in by the application, so that this folder depends only on Auth.js. */
export interface SignInDoors {
  withPassword(given: { email: string; password: string; address: string }): Promise<Admitted | SignInRefusal>;
  withProvider(given: {
    provider: string;
    accountId: string;
    email: string | null;
    emailVerified: boolean;
    name: string | null;
  }): Promise<Admitted | SignInRefusal>;
  endSession(session: { id: string; userId: string }): Promise<void>;
  isLive(session: { id: string; userId: string }): Promise<boolean>;
}

/** The reason is sent as Auth.js's `code`, so that the page can say what helps. */
class Refused extends CredentialsSignin {
  readonly retryAfterS: number | undefined;
  constructor(refusal: SignInRefusal) {
    super(refusal.refused);
    this.code = refusal.refused;
    this.retryAfterS = refusal.refused === "rate_limited" ? refusal.retryAfterS : undefined;
  }
}

export function authOptions(doors: SignInDoors): NextAuthConfig {
  return {
    secret: sessionSecrets(),
    trustHost: true,
    session: { strategy: "jwt", maxAge: SESSION_AGE_MAX_S },
    pages: { signIn: "/sign-in", error: "/sign-in" },
    logger: { error: refuseHalfSignOut },
    providers: [passwordProvider(doors), ...authProviders()],
    callbacks: {
      async signIn({ user, account, profile }) {
        if (!account || account.type === "credentials") return true;
        const answer = await doors.withProvider({
          provider: account.provider,
          accountId: account.providerAccountId,
          email: user.email ?? null,
          emailVerified: profile?.email_verified === true,
          name: user.name ?? null,
        });
        if ("refused" in answer) return `/sign-in?code=${answer.refused}&email=${encodeURIComponent(user.email ?? "")}`;
        user.id = answer.userId;
        user.sessionVersion = answer.sessionVersion;
        return true;
      },
      // The cookie names the person, the session and the session version, nothing that could become stale.
      jwt: ({ token, user }) =>
        user ? { sub: user.id, sessionVersion: user.sessionVersion, sid: crypto.randomUUID() } : renew(token, doors),
    },
    events: {
      async signOut(message) {
        const token = "token" in message ? message.token : null;
        if (token?.sub) await doors.endSession({ id: sessionIdOf(token), userId: token.sub });
      },
    },
  };
}

/** A session that has ended gets no new cookie: it would outlive the record of its end. */
async function renew(token: JWT, doors: SignInDoors): Promise<JWT | null> {
  const { sub, sessionVersion } = token;
  const sid = sessionIdOf(token);
  return sub && (await doors.isLive({ id: sid, userId: sub })) ? { sub, sessionVersion, sid } : null;
}

/** Auth.js would delete the cookie and report success, while a copy of the cookie would still work. */
function refuseHalfSignOut(error: Error & { type?: string }): void {
  // Sign-out is the only event with a listener.
  if (error.type === "EventError" || error.type === "SignOutError") throw error;
}

function passwordProvider(doors: SignInDoors) {
  return Credentials({
    credentials: { email: {}, password: {} },
    async authorize(given, request) {
      if (typeof given.email !== "string" || typeof given.password !== "string")
        throw new Refused({ refused: "credentials" });
      const address = request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
      const answer = await doors.withPassword({ email: given.email, password: given.password, address });
      if ("refused" in answer) throw new Refused(answer);
      return { id: answer.userId, sessionVersion: answer.sessionVersion };
    },
  });
}
