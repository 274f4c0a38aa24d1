/** Every request with a token begins with this: one statement, and nothing else before the handler. */
import pg from "pg";
import { afterEach, describe, expect, test, vi } from "vitest";
import { TOKEN_LAST_USE_EVERY_MS } from "@/lib/limits";
import { authenticateToken } from "@/lib/people/authenticate-token";
import { createToken } from "@/lib/people/create-token";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { HANG_MS } from "@/lib/testing/hang";
import { until } from "@/lib/testing/until";

const database = useDatabase();
const START = new Date("2026-05-01T10:00:00Z");
const ADDRESS = "192.0.2.7";
const at = (ms = 0) => ({ db: database.db, now: () => new Date(START.getTime() + ms) });

async function makeToken() {
  const person = await buildUser(at(), "operator");
  const expiresAt = new Date(START.getTime() + 10 * TOKEN_LAST_USE_EVERY_MS);
  const scopes = ["runs:read", "runs:write"] as const;
  const made = await createToken(at(), person.actor, { name: "ci", userId: person.id, scopes: [...scopes], expiresAt });
  return { ...made, person, expiresAt };
}

const use = ({ token }: { token: string }, ms = 0) => authenticateToken(at(ms), { token, address: ADDRESS });
const rowOf = (id: string) => database.db.apiToken.findUniqueOrThrow({ where: { id } });
const untilNoted = (id: string) =>
  until(() => rowOf(id), { what: "the last use is written", isDone: ({ lastUsedAt }) => lastUsedAt !== null });

/** The statements that this process sends to Postgres from here on. */
function watchStatements(): string[] {
  const sent: string[] = [];
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const [given] = args as [string | { text: string }];
    sent.push(typeof given === "string" ? given : given.text);
    return (query as (...all: unknown[]) => unknown).apply(this, args);
  } as never);
  return sent;
}

afterEach(() => vi.restoreAllMocks());

test("one statement finds a token with its person, role, groups, scopes and expiry", async () => {
  const made = await makeToken();
  const { id, person, expiresAt } = made;
  for (const name of ["ops", "finance"])
    await database.db.group.create({ data: { id: `grp_${name}`, name, members: { create: { userId: person.id } } } });
  await use(made);
  await untilNoted(id);
  const sent = watchStatements();
  expect(await use(made, 1_000)).toEqual({
    id,
    name: "ci",
    scopes: ["runs:read", "runs:write"],
    profile: null,
    expiresAt,
    revokedAt: null,
    lastUsedAt: START,
    user: {
      id: person.id,
      name: person.name,
      email: person.email,
      role: "operator",
      groups: ["finance", "ops"],
      disabled: false,
    },
  });
  expect(sent).toEqual([expect.stringContaining("api_tokens")]);
});

test("a revoked token and a disabled account are refused from the next request on", async () => {
  const [revoked, disabled] = [await makeToken(), await makeToken()];
  await Promise.all([use(revoked), use(disabled)]);
  await database.db.apiToken.update({ where: { id: revoked.id }, data: { revokedAt: START } });
  await database.db.user.update({ where: { id: disabled.person.id }, data: { disabledAt: START } });
  await expect(use(revoked)).rejects.toMatchObject({ code: "unauthorized", message: /was revoked/ });
  await expect(use(disabled)).rejects.toMatchObject({ code: "unauthorized", message: /is disabled/ });
});

test("a token is refused from its expiry on", async () => {
  const made = await makeToken();
  const lifeMs = made.expiresAt.getTime() - START.getTime();
  expect((await use(made, lifeMs - 1)).id).toBe(made.id);
  await expect(use(made, lifeMs)).rejects.toMatchObject({ code: "unauthorized", message: /expired at/ });
});

describe("the last use", () => {
  test("is written outside the requests, once however many arrive at the same time", async () => {
    const made = await makeToken();
    const [held, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const holding = database.db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT 1 FROM api_tokens WHERE id = ${made.id} FOR UPDATE`;
        held.resolve();
        await free.promise;
      },
      { timeout: HANG_MS, maxWait: HANG_MS },
    );
    await held.promise;
    const sent = watchStatements();
    // Nothing can be written to the row while it is locked, and still all requests are answered.
    for (let request = 0; request < 3; request++) expect((await use(made)).id).toBe(made.id);
    expect((await Promise.all([use(made), use(made)])).map(({ id }) => id)).toEqual([made.id, made.id]);
    free.resolve();
    await holding;
    expect(await untilNoted(made.id)).toMatchObject({ lastUsedAt: START, lastUsedAddress: ADDRESS });
    expect(sent.filter((text) => text.includes("UPDATE api_tokens"))).toHaveLength(1);
  });

  test("is written again when it is old enough, and not before", async () => {
    const made = await makeToken();
    await use(made);
    await untilNoted(made.id);
    const sent = watchStatements();
    await use(made, TOKEN_LAST_USE_EVERY_MS);
    expect(sent.filter((text) => text.includes("UPDATE api_tokens"))).toEqual([]);
    await use(made, TOKEN_LAST_USE_EVERY_MS + 1);
    await until(() => rowOf(made.id), {
      what: "the later use is written",
      isDone: ({ lastUsedAt }) => lastUsedAt?.getTime() === START.getTime() + TOKEN_LAST_USE_EVERY_MS + 1,
    });
  });

  test("that cannot be written rejects no request, and is tried again with later ones", async () => {
    const made = await makeToken();
    await database.db.$executeRaw`ALTER TABLE api_tokens ADD CONSTRAINT unused CHECK (last_used_at IS NULL) NOT VALID`;
    expect((await use(made)).id).toBe(made.id);
    await database.db.$executeRaw`ALTER TABLE api_tokens DROP CONSTRAINT unused`;
    const useAgain = async () => (await use(made)) && rowOf(made.id);
    await until(useAgain, { what: "the last use is written", isDone: ({ lastUsedAt }) => lastUsedAt !== null });
  });
});
