import { encode } from "next-auth/jwt";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import { sessionSecrets } from "@/lib/people/session/secrets";

const COOKIE = "authjs.session-token";
export const TEST_ORIGIN = "http://localhost:3000";

/** The cookie that a sign-in would set. */
export async function sessionCookie(user: { id: string }, sessionVersion = 0): Promise<string> {
  const token = await encode({ token: { sub: user.id, sessionVersion }, secret: sessionSecrets(), salt: COOKIE });
  return `${COOKIE}=${token}`;
}

interface RequestFacts {
  method?: string;
  cookie?: string;
  token?: string;
  origin?: string;
  address?: string;
  body?: unknown;
  headers?: Record<string, string>;
}

export function testRequest(path: string, facts: RequestFacts = {}): Request {
  const headers = new Headers({
    host: new URL(TEST_ORIGIN).host,
    [CLIENT_ADDRESS_HEADER]: facts.address ?? "192.0.2.1",
    ...facts.headers,
  });
  if (facts.cookie) headers.set("cookie", facts.cookie);
  if (facts.token) headers.set("authorization", `Bearer ${facts.token}`);
  if (facts.origin) headers.set("origin", facts.origin);
  if (facts.body !== undefined) headers.set("content-type", "application/json");
  const body =
    facts.body === undefined ? undefined : typeof facts.body === "string" ? facts.body : JSON.stringify(facts.body);
  return new Request(TEST_ORIGIN + path, { method: facts.method ?? "GET", headers, body });
}

/** Next's second argument to a route handler. */
export const withParams = (params: Record<string, string> = {}) => ({ params: Promise.resolve(params) });
