import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { authOptions } from "@/lib/people/session/options";
import { buildUser, TEST_PASSWORD } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { TestBrowser } from "@/lib/testing/test-browser";

const database = useDatabase();
const ORIGIN = "http://localhost:3000";
const keys = await generateKeyPair("RS256");
/** The claims that the issuer returns for the person who signs in. */
let claims: Record<string, unknown> = {};
let nonce: string | null = null;
let issuer: Server;

beforeAll(async () => {
  issuer = createServer(
    (request, response) =>
      void answer(request.url ?? "").then((body) =>
        response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
      ),
  );
  await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void issuer.close());

const issuerUrl = () => `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;

/** The parts of an OIDC issuer that a sign-in needs. */
async function answer(path: string): Promise<unknown> {
  if (path.endsWith("openid-configuration")) {
    const url = issuerUrl();
    return {
      issuer: url,
      authorization_endpoint: `${url}/authorize`,
      token_endpoint: `${url}/token`,
      jwks_uri: `${url}/jwks`,
      userinfo_endpoint: `${url}/userinfo`,
      id_token_signing_alg_values_supported: ["RS256"],
    };
  }
  if (path === "/jwks") return { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1", alg: "RS256", use: "sig" }] };
  const token = await new SignJWT({ ...claims, ...(nonce ? { nonce } : {}) })
    .setProtectedHeader({ alg: "RS256", kid: "1" })
    .setIssuer(issuerUrl())
    .setAudience("kimitsu")
    .setIssuedAt()
    .setExpirationTime("5m")
    .sign(keys.privateKey);
  return { access_token: "issuer-access-token", token_type: "Bearer", id_token: token, expires_in: 300 };
}

const openBrowser = () =>
  new TestBrowser(testDeps(database), [
    { id: "oidc", name: "SSO", type: "oidc" as const, issuer: issuerUrl(), clientId: "kimitsu", clientSecret: "s" },
  ]);

async function signInByOidc(): Promise<{ browser: TestBrowser; response: Response }> {
  const browser = openBrowser();
  const away = new URL(
    (await browser.post("/api/auth/signin/oidc", { callbackUrl: `${ORIGIN}/inbox` })).headers.get("location") ?? "",
  );
  nonce = away.searchParams.get("nonce");
  const state = away.searchParams.get("state");
  const response = await browser.send(`/api/auth/callback/oidc?code=abc${state ? `&state=${state}` : ""}`);
  return { browser, response };
}

test("a password sign-in gives a session whose person is read from the database", async () => {
  const user = await buildUser(testDeps(database), "reviewer", { name: "Rea" });
  const browser = openBrowser();
  const response = await browser.post("/api/auth/callback/credentials", { email: user.email, password: TEST_PASSWORD });
  expect(response.status).toBe(302);
  expect(response.headers.getSetCookie().find((cookie) => cookie.startsWith("authjs.session-token="))).toMatch(
    /HttpOnly.*SameSite=Lax/i,
  );
  expect(await browser.session()).toMatchObject({ user: { id: user.id, name: "Rea", role: "reviewer" } });
});

test("an OIDC sign-in of an unknown person creates a viewer with a session of their own; no token of the issuer is kept", async () => {
  claims = { sub: "issuer-1", email: "new@example.org", email_verified: true, name: "New" };
  const { browser, response } = await signInByOidc();
  expect(response.headers.get("location")).toBe(`${ORIGIN}/inbox`);
  expect(await browser.session()).toMatchObject({ user: { email: "new@example.org", role: "viewer" } });
  const kept =
    JSON.stringify(await database.db.account.findMany()) +
    JSON.stringify(await database.db.journal.findMany({ select: { body: true } }));
  expect(kept).toContain("issuer-1");
  expect(kept).not.toContain("issuer-access-token");
});

test("an OIDC sign-in of a person added by an admin keeps their role", async () => {
  const user = await buildUser(testDeps(database), "operator");
  claims = { sub: "issuer-2", email: user.email, email_verified: true, name: "Op" };
  const { browser } = await signInByOidc();
  expect(await browser.session()).toMatchObject({ user: { id: user.id, role: "operator" } });
});

test("an e-mail that the issuer has not verified is refused, with a link back to the sign-in page", async () => {
  claims = { sub: "issuer-3", email: "unverified@example.org", email_verified: false, name: "Un" };
  const { browser, response } = await signInByOidc();
  expect(response.headers.get("location")).toBe(
    `${ORIGIN}/sign-in?code=email_unverified&email=unverified%40example.org`,
  );
  expect(await browser.session()).toBeNull();
});

test.each(["github", "google", "oidc"])(
  verifies("sign-in:provider:verified", "an e-mail counts as verified only where %s itself says so"),
  async (provider) => {
    const told: boolean[] = [];
    const { callbacks } = authOptions({
      withPassword: () => expect.unreachable(),
      endSession: () => expect.unreachable(),
      isLive: () => expect.unreachable(),
      withProvider: async ({ emailVerified }) => (told.push(emailVerified), { refused: "email_unverified" }),
    });
    for (const profile of [{}, { email_verified: false }, { email_verified: "true" }, { email_verified: true }]) {
      await callbacks!.signIn!({
        user: { email: "rea@example.com" },
        account: { provider, type: "oauth", providerAccountId: "7" },
        profile,
      } as never);
    }
    expect(told).toEqual([false, false, false, true]);
  },
);
