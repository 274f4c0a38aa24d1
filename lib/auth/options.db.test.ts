import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Auth } from "@auth/core";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { authOptions } from "@/lib/auth/options";
import { readSession } from "@/lib/auth/read-session";
import { signInWithPassword } from "@/lib/engine/sign-in-with-password";
import { signInWithProvider } from "@/lib/engine/sign-in-with-provider";
import { buildUser, TEST_PASSWORD } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";

const database = useDatabase();
const ORIGIN = "http://localhost:3000";
const keys = await generateKeyPair("RS256");
/** What the issuer says of the person who signs in. */
let claims: Record<string, unknown> = {};
let nonce: string | null = null;
let issuer: Server;

beforeAll(async () => {
  issuer = createServer((request, response) => void answer(request.url ?? "").then((body) => response.setHeader("content-type", "application/json").end(JSON.stringify(body))));
  await new Promise<void>((resolve) => issuer.listen(0, "127.0.0.1", resolve));
});
afterAll(() => void issuer.close());

const issuerUrl = () => `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`;

/** A whole OIDC issuer, as far as a sign-in needs one. */
async function answer(path: string): Promise<unknown> {
  if (path.endsWith("openid-configuration")) {
    const url = issuerUrl();
    return { issuer: url, authorization_endpoint: `${url}/authorize`, token_endpoint: `${url}/token`, jwks_uri: `${url}/jwks`, userinfo_endpoint: `${url}/userinfo`, id_token_signing_alg_values_supported: ["RS256"] };
  }
  if (path === "/jwks") return { keys: [{ ...(await exportJWK(keys.publicKey)), kid: "1", alg: "RS256", use: "sig" }] };
  const token = await new SignJWT({ ...claims, ...(nonce ? { nonce } : {}) }).setProtectedHeader({ alg: "RS256", kid: "1" }).setIssuer(issuerUrl()).setAudience("kimitsu").setIssuedAt().setExpirationTime("5m").sign(keys.privateKey);
  return { access_token: "issuer-access-token", token_type: "Bearer", id_token: token, expires_in: 300 };
}

class Browser {
  #cookies = new Map<string, string>();
  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }
  async send(path: string, form?: Record<string, string>): Promise<Response> {
    const headers = { cookie: this.cookie, host: "localhost:3000", ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}) };
    const request = new Request(ORIGIN + path, { method: form ? "POST" : "GET", headers, ...(form ? { body: new URLSearchParams(form) } : {}) });
    const deps = testDeps(database);
    const config = authOptions({ withPassword: (given) => signInWithPassword(deps, given), withProvider: (given) => signInWithProvider(deps, given) });
    const oidc = { id: "oidc", name: "SSO", type: "oidc" as const, issuer: issuerUrl(), clientId: "kimitsu", clientSecret: "s" };
    const response = (await Auth(request, { ...config, basePath: "/api/auth", providers: [...config.providers, oidc] } as never)) as Response;
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
      if (attributes.some((attribute) => /^max-age=0/i.test(attribute)) || value === "") this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }
  async signIn(path: string, fields: Record<string, string>): Promise<Response> {
    const { csrfToken } = (await (await this.send("/api/auth/csrf")).json()) as { csrfToken: string };
    return this.send(path, { csrfToken, ...fields });
  }
  session() {
    return readSession(new Headers({ cookie: this.cookie }));
  }
}

async function signInByOidc(): Promise<{ browser: Browser; response: Response }> {
  const browser = new Browser();
  const away = new URL((await browser.signIn("/api/auth/signin/oidc", { callbackUrl: `${ORIGIN}/inbox` })).headers.get("location") ?? "");
  nonce = away.searchParams.get("nonce");
  const state = away.searchParams.get("state");
  const response = await browser.send(`/api/auth/callback/oidc?code=abc${state ? `&state=${state}` : ""}`);
  return { browser, response };
}

test("a password sign-in gives a session whose person is read from the database", async () => {
  const user = await buildUser(testDeps(database), "reviewer", { name: "Rea" });
  const browser = new Browser();
  const response = await browser.signIn("/api/auth/callback/credentials", { email: user.email, password: TEST_PASSWORD });
  expect(response.status).toBe(302);
  expect(response.headers.getSetCookie().find((cookie) => cookie.startsWith("authjs.session-token="))).toMatch(/HttpOnly.*SameSite=Lax/i);
  expect(await browser.session()).toMatchObject({ user: { id: user.id, name: "Rea", role: "reviewer" } });
});

test("an OIDC sign-in of someone unknown makes a viewer, whose session is their own; no token of the issuer is kept", async () => {
  claims = { sub: "issuer-1", email: "new@example.org", email_verified: true, name: "New" };
  const { browser, response } = await signInByOidc();
  expect(response.headers.get("location")).toBe(`${ORIGIN}/inbox`);
  expect(await browser.session()).toMatchObject({ user: { email: "new@example.org", role: "viewer" } });
  const kept = JSON.stringify(await database.db.account.findMany()) + JSON.stringify(await database.db.event.findMany({ select: { body: true } }));
  expect(kept).toContain("issuer-1");
  expect(kept).not.toContain("issuer-access-token");
});

test("an OIDC sign-in of someone whom an admin added keeps their role", async () => {
  const user = await buildUser(testDeps(database), "operator");
  claims = { sub: "issuer-2", email: user.email, email_verified: true, name: "Op" };
  const { browser } = await signInByOidc();
  expect(await browser.session()).toMatchObject({ user: { id: user.id, role: "operator" } });
});

test("an e-mail that the issuer has not verified is refused, with the way back to the sign-in page", async () => {
  claims = { sub: "issuer-3", email: "unverified@example.org", email_verified: false, name: "Un" };
  const { browser, response } = await signInByOidc();
  expect(response.headers.get("location")).toBe(`${ORIGIN}/sign-in?code=email_unverified&email=unverified%40example.org`);
  expect(await browser.session()).toBeNull();
});

test.each(["github", "google", "oidc"])(verifies("sign-in:provider:verified", "an e-mail counts as verified only where %s itself says so"), async (provider) => {
  const told: boolean[] = [];
  const { callbacks } = authOptions({ withPassword: () => expect.unreachable(), withProvider: async ({ emailVerified }) => (told.push(emailVerified), { refused: "email_unverified" }) });
  for (const profile of [{}, { email_verified: false }, { email_verified: "true" }, { email_verified: true }]) {
    await callbacks!.signIn!({ user: { email: "rea@example.com" }, account: { provider, type: "oauth", providerAccountId: "7" }, profile } as never);
  }
  expect(told).toEqual([false, false, false, true]);
});
