import { afterAll, beforeAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { connect, type Db } from "@/lib/database/client";
import { SYSTEM_CHAIN } from "@/lib/audit/rules/audit-event";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { projectChain } from "@/lib/testing/project-all";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { startJournalRun } from "@/lib/testing/journal-run";
import { listEvents, streamEvents, type TrailFilter, USUAL_TYPES } from "./list-events";

const template = useDatabase();
/** A client that does not bring the projections up to date by itself. */
const database = {} as { db: Db; url: string; closing: (() => Promise<void>)[] };
beforeAll(() => void Object.assign(database, template, { db: connect(template.url, 4) }));
afterAll(() => database.db.$disconnect());

async function readAll(filter: TrailFilter, limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await listEvents(database.db, { ...filter, limit, cursor });
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  return ids;
}

async function idsInJournal(chain: string): Promise<string[]> {
  const rows = await database.db.journal.findMany({ where: { runId: chain }, orderBy: { seq: "asc" } });
  return rows.flatMap(({ body }) => (JSON.parse(body) as { events: { id: string }[] }).events.map(({ id }) => id));
}

test("the index events_by_type leaves out exactly the usual types of the query; with another list an event would not be found, or only slowly", async () => {
  const [index] = await database.db.$queryRaw<{ predicate: string }[]>`
    SELECT pg_get_expr(indpred, indrelid) AS predicate FROM pg_index WHERE indexrelid = 'events_by_type'::regclass`;
  expect(index?.predicate).toMatch(/^\(?type <> ALL /);
  expect([...index!.predicate.matchAll(/'([^']+)'/g)].map(([, type]) => type)).toEqual(USUAL_TYPES);
});

test(
  verifies(
    "audit:pages",
    "pages and the export contain each event once, whether or not it is projected, at every moment",
  ),
  async () => {
    const deps = testDeps(database);
    const run = await startJournalRun(deps);
    const { callId, approvalId } = await run.ask();
    await projectChain(database.db, run.id);
    await run.decide(approvalId, (await buildUser(deps, "reviewer")).actor);
    const other = await startJournalRun(deps);
    await other.ask();
    await run.finish(callId);
    const ids = [
      ...(await idsInJournal(run.id)),
      ...(await idsInJournal(other.id)),
      ...(await idsInJournal(SYSTEM_CHAIN)),
    ].toSorted();
    expect(await readAll({}, 3)).toEqual(ids.toReversed());
    expect(await readAll({ chainId: run.id }, 2)).toEqual((await idsInJournal(run.id)).toSorted().toReversed());
    const streamed: string[] = [];
    for await (const { id } of streamEvents(database.db, {}, 4)) streamed.push(id);
    expect(streamed).toEqual(ids);
    for (const chain of [run.id, other.id, SYSTEM_CHAIN]) await projectChain(database.db, chain);
    expect(await readAll({}, 3)).toEqual(ids.toReversed());
  },
);

test(verifies("audit:filters", "filters find unprojected events like projected ones"), async () => {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  const { approvalId } = await run.ask();
  const ana = await buildUser(deps, "reviewer", { name: "Anastasia" });
  await run.decide(approvalId, ana.actor);
  await run.change((_, at) => [{ kind: "server_missed", at, server: "bank", message: "away" }]);
  const found = async () => ({
    whole: await readAll({ chainId: run.id, type: "approval.decided" }, 50),
    noun: await readAll({ chainId: run.id, type: "server" }, 50),
    actor: await readAll({ chainId: run.id, actor: "anastas" }, 50),
    system: (await readAll({ chainId: run.id, actor: "kimitsu" }, 50)).length > 2,
    from: await readAll({ chainId: run.id, from: new Date(deps.now().getTime() + 1) }, 50),
    to: (await readAll({ chainId: run.id, to: new Date(deps.now().getTime() + 1) }, 50)).length,
  });
  const before = await found();
  expect(before).toMatchObject({ whole: [expect.any(String)], noun: [expect.any(String)], system: true, from: [] });
  expect(before.actor).toEqual(before.whole);
  await projectChain(database.db, run.id);
  expect(await found()).toEqual(before);
});

test("what Kimitsu does by itself is shown and exported as its own, although no body says so, projected or not", async () => {
  const run = await startJournalRun(testDeps(database));
  await run.ask();
  const { body } = await database.db.journal.findFirstOrThrow({ where: { runId: run.id, seq: 3 } });
  expect(body).toContain("approval.requested");
  expect(body).not.toContain('"actor"');
  const shown = async () => {
    const events = [];
    for await (const event of streamEvents(database.db, { chainId: run.id, actor: SYSTEM_ACTOR.id }))
      events.push(event);
    expect(events).toEqual((await listEvents(database.db, { chainId: run.id, actor: "kimitsu" })).items.toReversed());
    return events.filter(({ seq }) => seq === 3);
  };
  const before = await shown();
  expect(before.map(({ type }) => type)).toContain("approval.requested");
  for (const event of before) expect(event).toMatchObject({ actor: SYSTEM_ACTOR, body: { actor: SYSTEM_ACTOR } });
  await projectChain(database.db, run.id);
  expect(await shown()).toEqual(before);
});

test("an event is shown as it was sealed, and one that exists only in the projection is not shown", async () => {
  const deps = testDeps(database);
  const run = await startJournalRun(deps);
  await projectChain(database.db, run.id);
  const [event] = (await listEvents(database.db, { chainId: run.id })).items;
  const row = await database.db.journal.findFirstOrThrow({ where: { runId: run.id } });
  expect(event).toMatchObject({
    seq: 1,
    type: "run.created",
    hash: Buffer.from(row.hash).toString("hex"),
    data: { workflow: "main" },
  });
  expect(event!.body).toMatchObject({ id: event!.id, chain: run.id, type: "run.created", data: event!.data });
  await database.db.event.update({
    where: { id: event!.id },
    data: { actorName: "Else", data: { workflow: "other" } },
  });
  expect((await listEvents(database.db, { chainId: run.id })).items).toEqual([event]);
  const made = await database.db.event.findUniqueOrThrow({ where: { id: event!.id } });
  await database.db.event.create({ data: { ...made, id: "evt_zzz", place: 9, data: {} } });
  expect((await listEvents(database.db, { chainId: run.id })).items).toEqual([event]);
});
