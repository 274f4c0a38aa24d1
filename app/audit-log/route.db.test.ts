import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { Scope } from "@/lib/people/rules/roles";
import { changeUserRole } from "@/lib/people/change-user-role";
import { createToken } from "@/lib/people/create-token";
import { revokeToken } from "@/lib/people/revoke-token";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { sessionCookie, testRequest, withParams } from "@/lib/testing/requests";
import { GET as EXPORT } from "./export/route";
import { GET } from "./route";

const database = useDatabase();
const deps = () => testDeps(database);
const ask = (facts: Parameters<typeof testRequest>[1], path = "/audit-log") =>
  GET(testRequest(path, facts), withParams());

async function tokenFor(role: "viewer" | "operator" | "admin", scopes: Scope[], expiresAt: Date | null = null) {
  const user = await buildUser(deps(), role);
  return { user, ...(await createToken(deps(), user.actor, { name: "test", userId: user.id, scopes, expiresAt })) };
}

describe("200", () => {
  test(
    verifies(
      "tokens:works",
      verifies(
        "audit:pages",
        "a token with the scope reads the trail, newest first, in pages that join without gap or repeat",
      ),
    ),
    async () => {
      const { token } = await tokenFor("operator", ["audit:read"]);
      for (let n = 0; n < 4; n++) await buildUser(deps(), "viewer");
      const whole = await (await ask({ token }, "/audit-log?limit=200")).json();
      const first = await (await ask({ token }, "/audit-log?limit=2")).json();
      const second = await (await ask({ token }, `/audit-log?limit=2&cursor=${first.next_cursor}`)).json();
      expect([...first.items, ...second.items]).toEqual(whole.items.slice(0, 4));
      expect(whole.items[0]).toMatchObject({ chain_id: "system", type: "user.created", actor: { kind: "system" } });
    },
  );

  test(verifies("audit:filters", "filters narrow it"), async () => {
    const { token, user } = await tokenFor("operator", ["audit:read"]);
    const { items } = await (await ask({ token }, `/audit-log?type=token&actor=${user.id}`)).json();
    expect(items.map((item: { type: string }) => item.type)).toEqual(["token.created"]);
  });

  test("a session reads it as well", async () => {
    const user = await buildUser(deps(), "operator");
    expect((await ask({ cookie: await sessionCookie(user) })).status).toBe(200);
  });

  test(verifies("audit:export", "the export is JSON lines, oldest first"), async () => {
    const { token } = await tokenFor("operator", ["audit:read"]);
    const response = await EXPORT(testRequest("/audit-log/export", { token }), withParams());
    expect(response.headers.get("content-type")).toBe("application/jsonl");
    const ids = (await response.text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).id as string);
    expect(ids).toEqual([...ids].sort());
    expect(ids.length).toBe(await database.db.event.count());
  });
});

describe("401", () => {
  test(verifies("http:error-shape", "without a sign-in, with the one error shape and a way to sign in"), async () => {
    const response = await ask({});
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toContain("Bearer");
    const body = await response.json();
    expect(body).toEqual({
      error: {
        code: "unauthorized",
        message: expect.stringContaining("API token"),
        request_id: expect.stringMatching(/^req_/),
        issues: [],
      },
    });
  });

  test(
    verifies("tokens:refused", "with a token that is unknown, revoked, expired, or whose person is disabled"),
    async () => {
      const revoked = await tokenFor("operator", ["audit:read"]);
      await revokeToken(deps(), revoked.user.actor, { tokenId: revoked.id, ownerId: null });
      const shut = await tokenFor("operator", ["audit:read"]);
      await buildUser(deps(), "admin");
      await setUserDisabled(deps(), revoked.user.actor, { userId: shut.user.id, disabled: true });
      const expired = await tokenFor("operator", ["audit:read"], new Date("2026-01-01T10:00:01.000Z"));
      const cases = {
        [`kmt_${"x".repeat(43)}`]: "not known",
        plain: "not known",
        [revoked.token]: "revoked",
        [shut.token]: "disabled",
        [expired.token]: "expired at 2026-01-01T10:00:01",
      };
      for (const [token, reason] of Object.entries(cases)) {
        const response = await ask({ token });
        expect(response.status).toBe(401);
        expect((await response.json()).error.message).toContain(reason);
      }
    },
  );

  test(
    verifies(
      "session:disabled",
      verifies(
        "session:password-change",
        "with a session from before the person was disabled, or before a new password",
      ),
    ),
    async () => {
      const admin = await buildUser(deps(), "admin");
      const user = await buildUser(deps(), "operator");
      const cookie = await sessionCookie(user);
      expect((await ask({ cookie })).status).toBe(200);
      await setUserDisabled(deps(), admin.actor, { userId: user.id, disabled: true });
      expect((await ask({ cookie })).status).toBe(401);
      await setUserDisabled(deps(), admin.actor, { userId: user.id, disabled: false });
      expect((await ask({ cookie })).status).toBe(401);
      expect((await ask({ cookie: await sessionCookie(user, 1) })).status).toBe(200);
    },
  );

  test(verifies("session:forged", "with a cookie that was signed with another secret"), async () => {
    expect((await ask({ cookie: "authjs.session-token=eyJhbGciOiJkaXIifQ..x.y.z" })).status).toBe(401);
  });
});

describe("403", () => {
  test(verifies("session:role-change", "a role change applies from the next request on"), async () => {
    const admin = await buildUser(deps(), "admin");
    const user = await buildUser(deps(), "operator");
    const cookie = await sessionCookie(user);
    expect((await ask({ cookie })).status).toBe(200);
    await changeUserRole(deps(), admin.actor, { userId: user.id, role: "viewer" });
    const response = await ask({ cookie });
    expect(response.status).toBe(403);
    expect((await response.json()).error.message).toBe("The role viewer does not include audit:read.");
  });

  test(verifies("roles:api", "a token without the scope, even an admin's"), async () => {
    const { token } = await tokenFor("admin", ["admin"]);
    const response = await ask({ token });
    expect(response.status).toBe(403);
    expect((await response.json()).error.message).toContain("no scope audit:read");
  });
});

describe("422", () => {
  test(verifies("http:error-shape", "every problem of the query is listed"), async () => {
    const { token } = await tokenFor("operator", ["audit:read"]);
    const response = await ask({ token }, "/audit-log?limit=0&from=yesterday&colour=red");
    expect(response.status).toBe(422);
    const { error } = await response.json();
    expect(error.issues.map((issue: { path: string }) => issue.path).sort()).toEqual([
      "query",
      "query.from",
      "query.limit",
    ]);
  });
});

test("a NUL in the address is refused before it reaches the database", async () => {
  const { token } = await tokenFor("operator", ["audit:read"]);
  expect((await ask({ token }, "/audit-log?chain=%00")).status).toBe(422);
});

describe("429", () => {
  test(
    verifies("tokens:rate-limit", "an address that tries many tokens gets Retry-After, and others are not affected"),
    async () => {
      const tries = await Promise.all(
        Array.from({ length: 70 }, () => ask({ token: "nonsense", address: "192.0.2.99" })),
      );
      expect(tries.filter((response) => response.status === 401)).toHaveLength(60);
      const refused = tries.find((response) => response.status === 429);
      expect(Number(refused?.headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await ask({ token: "nonsense", address: "192.0.2.98" })).status).toBe(401);
    },
  );
});
