import { CredentialsSignin, type NextAuthConfig } from "next-auth";
import Credentials from "next-auth/providers/credentials";
import { CLIENT_ADDRESS_HEADER } from "@/lib/auth/client-address";
import { authProviders } from "@/lib/auth/providers";
import { sessionSecrets } from "@/lib/auth/secrets";
import { SESSION_AGE_MAX_S } from "@/lib/domain/limits";

declare module "next-auth" {
  interface User {
    sessionVersion?: number;
  }
}

declare module "next-auth/jwt" {
  interface JWT {
    sessionVersion?: number;
  }
}

export interface Admitted {
  userId: string;
  sessionVersion: number;
}

export type SignInRefusal = { refused: "credentials" | "disabled" | "not_invited" | "email_unverified" } | { refused: "rate_limited"; retryAfterS: number };

/** What signing in needs to do; given by the application, so that this folder only knows Auth.js. */
export interface SignInDoors {
  withPassword(given: { email: string; password: string; address: string }): Promise<Admitted | SignInRefusal>;
  withProvider(given: { provider: string; accountId: string; email: string | null; emailVerified: boolean; name: string | null }): Promise<Admitted | SignInRefusal>;
}

/** The reason travels as Auth.js's `code`, so that the page can say what helps. */
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
    logger: { error: () => undefined },
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
      // The cookie carries who and which session version, nothing that could become stale.
      jwt: ({ token, user }) => (user ? { sub: user.id, sessionVersion: user.sessionVersion } : { sub: token.sub, sessionVersion: token.sessionVersion }),
    },
  };
}

function passwordProvider(doors: SignInDoors) {
  return Credentials({
    credentials: { email: {}, password: {} },
    async authorize(given, request) {
      if (typeof given.email !== "string" || typeof given.password !== "string") throw new Refused({ refused: "credentials" });
      const address = request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown";
      const answer = await doors.withPassword({ email: given.email, password: given.password, address });
      if ("refused" in answer) throw new Refused(answer);
      return { id: answer.userId, sessionVersion: answer.sessionVersion };
    },
  });
}
