/** Unauthenticated requests must not cause a database statement each. */
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { BAD_TOKEN_WINDOW_MS, BAD_TOKENS_PER_ADDRESS, READINESS_AGE_MAX_MS } from "@/lib/limits";
import { scopesOf } from "@/lib/people/rules/roles";
import { authenticateToken } from "@/lib/people/authenticate-token";
import { createToken } from "@/lib/people/create-token";
import { readReadiness } from "@/lib/runs/read-readiness";
import { connect } from "@/lib/database/client";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";

const database = useDatabase();
const START = new Date("2026-05-01T10:00:00Z");

test(
  verifies("http:health", "however many probes ask for readiness in one second, the database is queried once"),
  async () => {
    let at = START;
    const deps = { db: database.db, now: () => at };
    const answers = await Promise.all(Array.from({ length: 50 }, () => readReadiness(deps)));
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toEqual({ database: "ok", worker: "silent", warnings: ["fsync_off", "synchronous_commit_low"] });
    await database.db.worker.create({
      data: { id: "wrk_probe", process: "h", capacity: 1, startedAt: START, heartbeatAt: START },
    });
    at = new Date(START.getTime() + READINESS_AGE_MAX_MS - 1);
    expect(await readReadiness(deps)).toMatchObject({ worker: "silent" });
    at = new Date(START.getTime() + READINESS_AGE_MAX_MS);
    expect(await readReadiness(deps)).toMatchObject({ worker: "ok" });
    const away = connect("postgresql://nobody@127.0.0.1:1/none", 2);
    expect(await readReadiness({ ...deps, db: away })).toEqual({
      database: "unreachable",
      worker: "unknown",
      warnings: [],
    });
    await away.$disconnect();
  },
);

test(
  verifies(
    "tokens:rate-limit",
    "a network past its limit writes nothing until its window ends, and a valid token still works from there",
  ),
  async () => {
    let at = START;
    const deps = { db: database.db, now: () => at };
    const person = await buildUser(deps, "viewer");
    const { token } = await createToken(deps, person.actor, {
      name: "works",
      userId: person.id,
      scopes: scopesOf("viewer"),
    });
    const address = "198.51.100.7";
    const tryOne = () =>
      authenticateToken(deps, { token: "nonsense", address }).catch((error: { code: string }) => error.code);
    const countNow = async () =>
      (await database.db.throttle.findFirstOrThrow({ where: { key: { startsWith: "bad-token:198.51.100" } } })).count;
    for (let index = 0; index <= BAD_TOKENS_PER_ADDRESS; index += 1) await tryOne();
    const counted = await countNow();
    at = new Date(START.getTime() + BAD_TOKEN_WINDOW_MS - 1_000);
    expect(await Promise.all(Array.from({ length: 20 }, tryOne))).toEqual(
      Array.from({ length: 20 }, () => "rate_limited"),
    );
    expect(await countNow()).toBe(counted);
    expect((await authenticateToken(deps, { token, address })).name).toBe("works");
    at = new Date(START.getTime() + BAD_TOKEN_WINDOW_MS);
    expect([await tryOne(), await countNow()]).toEqual(["unauthorized", 1]);
  },
);
