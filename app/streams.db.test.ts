/** Open event streams end when their reader may no longer listen. The test waits for the end of the stream itself. */
import { beforeAll, describe, expect, test } from "vitest";
import { GET as LIVE } from "@/app/(console)/live/inbox/route";
import { GET as EVENTS } from "@/app/runs/[runId]/events/route";
import { GET as LIST, POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { changeUserRole } from "@/lib/people/change-user-role";
import { revokeToken } from "@/lib/people/revoke-token";
import { setPassword } from "@/lib/people/set-password";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testRequest, withParams } from "@/lib/testing/requests";
import { TestBrowser } from "@/lib/testing/test-browser";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
let admin: Awaited<ReturnType<typeof buildUser>>;
let runId: string;
beforeAll(async () => {
  bench = await openApiBench(database);
  admin = await buildUser(bench.deps, "admin");
  const starter = await bench.login("operator");
  runId = (await ask(START, "/runs", { method: "POST", token: starter.token, body: { workflow: "main" } })).body.run_id;
  await bench.advance(runId);
});

type Facts = Parameters<typeof testRequest>[1];
const STREAMS = {
  "of a run": (facts: Facts) =>
    EVENTS(
      testRequest(`/runs/${runId}/events`, { ...facts, headers: { accept: "text/event-stream" } }),
      withParams({ runId }),
    ),
  "of the console": (facts: Facts) => LIVE(testRequest("/live/inbox", facts)),
};

/** Reads until the server ends it; an endless stream fails by the test's own timeout. */
async function readToEnd(response: Response): Promise<string> {
  expect(response.status).toBe(200);
  return response.text();
}

async function browserOf(person: { id: string; email: string }) {
  const browser = new TestBrowser(bench.deps);
  await browser.signInAs(person);
  return browser;
}

describe(verifies("session:streams", "open streams end with the right to listen"), () => {
  describe.each(Object.entries(STREAMS))("%s", (_name, open) => {
    test("when the person is disabled", async () => {
      const person = await buildUser(bench.deps, "reviewer");
      const stream = await open({ cookie: (await browserOf(person)).cookie });
      await setUserDisabled(bench.deps, admin.actor, { userId: person.id, disabled: true });
      await readToEnd(stream);
    });

    test("when the session is signed out, and not when another one of the same person is", async () => {
      const person = await buildUser(bench.deps, "reviewer");
      const [browser, other] = [await browserOf(person), await browserOf(person)];
      const [stream, kept] = [await open({ cookie: browser.cookie }), await open({ cookie: other.cookie })];
      let isOver = false;
      const end = readToEnd(kept).then(() => (isOver = true));
      await browser.signOut();
      await readToEnd(stream);
      // Both were checked together, and whatever ended would have been read by now.
      expect((await ask(LIST, "/runs", { cookie: other.cookie })).status).toBe(200);
      expect(isOver).toBe(false);
      await other.signOut();
      await end;
    });

    test("when a new password is set", async () => {
      const person = await buildUser(bench.deps, "reviewer");
      const stream = await open({ cookie: (await browserOf(person)).cookie });
      await setPassword(bench.deps, admin.actor, { userId: person.id, password: "another lantern 43" });
      await readToEnd(stream);
    });

    test("when the role changes: the stream's content depends on the role with which it was opened", async () => {
      const person = await buildUser(bench.deps, "reviewer");
      const stream = await open({ cookie: (await browserOf(person)).cookie });
      await changeUserRole(bench.deps, admin.actor, { userId: person.id, role: "viewer" });
      await readToEnd(stream);
    });
  });

  describe("of a run, by token", () => {
    const open = STREAMS["of a run"];

    test("when the token is revoked", async () => {
      const { user, token, id } = await bench.login("viewer");
      const stream = await open({ token });
      await revokeToken(bench.deps, user.actor, { tokenId: id, ownerId: null });
      await readToEnd(stream);
    });

    test("when the token expires", async () => {
      const { token, id } = await bench.login("viewer");
      const stream = await open({ token });
      await database.db.apiToken.update({
        where: { id },
        data: { expiresAt: new Date(bench.deps.now().getTime() - 1) },
      });
      await readToEnd(stream);
    });

    test("when its person is disabled", async () => {
      const { user, token } = await bench.login("viewer");
      const stream = await open({ token });
      await setUserDisabled(bench.deps, admin.actor, { userId: user.id, disabled: true });
      await readToEnd(stream);
    });
  });
});
