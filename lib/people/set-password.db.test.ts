import { beforeAll, expect, test } from "vitest";
import { GET } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { createToken } from "@/lib/people/create-token";
import { setPassword } from "@/lib/people/set-password";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { listEvents } from "@/lib/audit/queries/list-events";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { TEST_PASSWORD } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
let bench: Awaited<ReturnType<typeof openApiBench>>;
beforeAll(async () => {
  bench = await openApiBench(database);
});
const statusWith = async (token: string) => (await ask(GET, "/runs", { token })).status;
const NEW = "another lantern 43";

test(
  verifies(
    "tokens:password-reset",
    "an admin who sets someone's password ends all of that person's tokens, and nobody else's",
  ),
  async () => {
    const [admin, person, other] = [
      await bench.login("admin"),
      await bench.login("operator"),
      await bench.login("operator"),
    ];
    const byAdmin = await createToken(bench.deps, admin.user.actor, {
      name: "made by the admin",
      userId: person.user.id,
      scopes: ["runs:read"],
    });
    await setPassword(bench.deps, admin.user.actor, { userId: person.user.id, password: NEW });
    expect([await statusWith(person.token), await statusWith(byAdmin.token)]).toEqual([401, 401]);
    expect([await statusWith(admin.token), await statusWith(other.token)]).toEqual([200, 200]);

    const { items } = await listEvents(database.db, { type: "token.revoked", actor: admin.user.id });
    const ended = items.map(({ data }) => data.token_id as string);
    expect(ended.sort()).toEqual([person.id, byAdmin.id].sort());
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
  },
);

test("a token that was revoked before keeps its time of revocation", async () => {
  const [admin, person] = [await bench.login("admin"), await bench.login("operator")];
  const before = new Date("2025-12-24T18:00:00.000Z");
  await database.db.apiToken.update({ where: { id: person.id }, data: { revokedAt: before } });
  await setPassword(bench.deps, admin.user.actor, { userId: person.user.id, password: NEW });
  expect((await database.db.apiToken.findUniqueOrThrow({ where: { id: person.id } })).revokedAt).toEqual(before);
});

test(verifies("tokens:password-reset", "a person who changes their own password keeps their tokens"), async () => {
  const person = await bench.login("operator");
  await setPassword(bench.deps, person.user.actor, {
    userId: person.user.id,
    password: NEW,
    currentPassword: TEST_PASSWORD,
  });
  expect(await statusWith(person.token)).toBe(200);
});
