import { Auth } from "@auth/core";
import { authOptions } from "@/lib/people/session/options";
import { readSession } from "@/lib/people/session/read-session";
import type { EngineDeps } from "@/lib/database/deps";
import { endSession } from "@/lib/people/end-session";
import { signInWithPassword } from "@/lib/people/sign-in-with-password";
import { signInWithProvider } from "@/lib/people/sign-in-with-provider";
import { findSessionUser } from "@/lib/people/queries/find-session-user";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { TEST_ORIGIN } from "@/lib/testing/requests";

/** Signs in and out as a browser does, with the requests and cookies of Auth.js. */
export class TestBrowser {
  #cookies = new Map<string, string>();

  constructor(
    private readonly deps: EngineDeps,
    private readonly providers: object[] = [],
  ) {}

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async send(path: string, form?: Record<string, string>): Promise<Response> {
    const headers = {
      cookie: this.cookie,
      host: new URL(TEST_ORIGIN).host,
      ...(form ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    };
    const request = new Request(TEST_ORIGIN + path, {
      method: form ? "POST" : "GET",
      headers,
      ...(form ? { body: new URLSearchParams(form) } : {}),
    });
    const { deps } = this;
    const config = authOptions({
      withPassword: (given) => signInWithPassword(deps, given),
      withProvider: (given) => signInWithProvider(deps, given),
      endSession: (session) => endSession(deps, session),
      isLive: async (session) => (await findSessionUser(deps.db, session)) !== null,
    });
    const response = (await Auth(request, {
      ...config,
      basePath: "/api/auth",
      providers: [...config.providers, ...this.providers],
    } as never)) as Response;
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return response;
  }

  #keep(line: string): void {
    const [pair = "", ...attributes] = line.split("; ");
    const [name = "", value = ""] = [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)];
    if (attributes.some((attribute) => /^max-age=0/i.test(attribute)) || value === "") this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }

  /** Another's cookies, as someone would who had copied them. */
  take(cookie: string): void {
    for (const pair of cookie.split("; ")) this.#keep(pair);
  }

  async post(path: string, fields: Record<string, string>): Promise<Response> {
    const { csrfToken } = (await (await this.send("/api/auth/csrf")).json()) as { csrfToken: string };
    return this.send(path, { csrfToken, ...fields });
  }

  signInAs(user: { email: string }): Promise<Response> {
    return this.post("/api/auth/callback/credentials", { email: user.email, password: TEST_PASSWORD });
  }

  signOut(): Promise<Response> {
    return this.post("/api/auth/signout", {});
  }

  session() {
    return readSession(new Headers({ cookie: this.cookie }));
  }
}
