import { beforeAll, describe, expect, test } from "vitest";
import { GET } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { SESSION_AGE_MAX_S } from "@/lib/limits";
import { listEvents } from "@/lib/audit/queries/list-events";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { TestBrowser } from "@/lib/testing/test-browser";
import { prune } from "@/lib/runs/worker/start-worker";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
beforeAll(async () => {
  bench = await openApiBench(database);
});

async function signedIn(user?: { id: string; email: string }) {
  const person = user ?? (await buildUser(bench.deps, "viewer"));
  const browser = new TestBrowser(bench.deps);
  await browser.signInAs(person);
  return { browser, person };
}
const statusWith = async (cookie: string) => (await ask(GET, "/runs", { cookie })).status;

describe(verifies("session:sign-out", "signing out ends the session itself"), () => {
  test("a request with the earlier cookie, or a copy of it, gets 401", async () => {
    const { browser } = await signedIn();
    const copied = browser.cookie;
    expect(await statusWith(copied)).toBe(200);
    await browser.signOut();
    expect(browser.cookie).not.toContain("session-token");
    expect(await statusWith(copied)).toBe(401);
  });

  test("the person's other browsers stay signed in", async () => {
    const { browser, person } = await signedIn();
    const { browser: other } = await signedIn(person);
    await browser.signOut();
    expect(await statusWith(other.cookie)).toBe(200);
  });

  test("a cookie of the session renewed before or after the sign-out is ended too", async () => {
    const { browser } = await signedIn();
    const first = browser.cookie;
    await browser.send("/api/auth/session");
    const renewed = browser.cookie;
    expect(renewed).not.toBe(first);
    await browser.signOut();
    expect([await statusWith(first), await statusWith(renewed)]).toEqual([401, 401]);
    const thief = new TestBrowser(bench.deps);
    thief.take(renewed);
    await thief.send("/api/auth/session");
    // Renewed again and again, it would outlive the record of its end.
    expect(thief.cookie).not.toContain("session-token");
  });

  test("the record is kept for as long as a cookie of the session could be valid, and then deleted", async () => {
    const { browser, person } = await signedIn();
    const copied = browser.cookie;
    await browser.signOut();
    const kept = () => database.db.endedSession.count({ where: { userId: person.id } });
    await prune(new Date(bench.deps.now().getTime() + SESSION_AGE_MAX_S * 1000));
    expect(await kept()).toBe(1);
    expect(await statusWith(copied)).toBe(401);
    await prune(new Date(bench.deps.now().getTime() + 2 * SESSION_AGE_MAX_S * 1000));
    expect(await kept()).toBe(0);
  });

  test("it is on the trail, once", async () => {
    const { browser, person } = await signedIn();
    const thief = new TestBrowser(bench.deps);
    thief.take(browser.cookie);
    await browser.signOut();
    await thief.signOut();
    const { items } = await listEvents(database.db, { type: "user.signed_out", actor: person.id });
    expect(items.map(({ type }) => type)).toEqual(["user.signed_out"]);
  });

  test("nobody is shown as signed out when the session could not be ended", async () => {
    const { browser } = await signedIn();
    const before = browser.cookie;
    await database.db.$executeRawUnsafe("ALTER TABLE ended_sessions RENAME TO ended_sessions_away");
    try {
      await expect(browser.signOut()).rejects.toThrow();
    } finally {
      await database.db.$executeRawUnsafe("ALTER TABLE ended_sessions_away RENAME TO ended_sessions");
    }
    expect(browser.cookie).toContain("session-token");
    expect(await statusWith(before)).toBe(200);
  });
});
