import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { listInbox } from "@/lib/approvals/queries/list-inbox";
import { connect, type Db, toStatement } from "@/lib/database/client";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import type { RunChange } from "@/lib/runs/changes/registry";
import type { NewRun } from "@/lib/runs/changes/run-created";
import { changeRun } from "@/lib/runs/journal/change-run";
import { writeNewRun } from "@/lib/runs/journal/start-run";
import { FoldCache } from "@/lib/runs/projections/fold-cache";
import { projectNews } from "@/lib/runs/projections/project-news";
import { rebuildProjections } from "@/lib/runs/projections/rebuild-projections";
import { listHistory } from "@/lib/runs/queries/list-history";
import type { RunFilter } from "@/lib/runs/queries/run-filter";
import { aCall, aDecision, aQuestion, aRun, digestOf, turnRecordedAt } from "@/lib/testing/changes";
import { useDatabase } from "@/lib/testing/database";
import { withOpenJournal } from "@/lib/testing/open-journal";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { until } from "@/lib/testing/until";
import { keepTestVersion, writeRuns } from "@/lib/testing/write-runs";

const database = useDatabase();
/** A client that does not bring the projections up to date by itself. */
let db: Db;
const now = new Date("2026-01-01T10:00:00.000Z");
const at = now.toISOString();
const userId = createId("user");
const reader = { userId: "usr_reader", role: "reviewer" as const, groups: [] };

beforeAll(async () => {
  db = connect(database.url, 6);
  await keepTestVersion(db);
  await db.user.create({ data: { id: userId, email: "r@example.org", name: "R", role: "reviewer" } });
});
afterAll(() => db.$disconnect());
beforeEach(() => settle());
afterEach(() => {
  releaseAll();
  vi.restoreAllMocks();
});

/** Rows of transactions still open elsewhere on this server are seen a moment later. */
const settle = () =>
  until(() => projectNews({ db, cache: new FoldCache() }).then(countBehind), {
    what: "all is projected",
    isDone: (left) => left === 0,
  });

async function countBehind(): Promise<number> {
  const [row] = await db.$queryRaw<{ count: number }[]>`SELECT count(*)::int AS count FROM runs r
    LEFT JOIN projected_runs p ON p.run_id = r.id WHERE r.seq > coalesce(p.seq, 0)`;
  return row?.count ?? 0;
}

async function start(facts: Partial<NewRun> = {}): Promise<NewRun> {
  const run = aRun(facts);
  await writeNewRun(db, run, null, now);
  return run;
}

/** No word is a prefix of another. */
const aWord = () => `heron${String((words += 1)).padStart(3, "0")}x`;
let words = 0;

const findRuns = async (filter: RunFilter & { limit?: number }, by = db) =>
  (await listHistory(by, { ...filter, now })).items.map(({ id }) => id);
const findAsked = async (text: string, by = db) =>
  (await listInbox(by, reader, { sort: "age", text })).items.map(({ id }) => id);
const countRuns = (runId: string) => db.runSearch.count({ where: { runId } });
const countAsked = (approvalId: string) => db.approvalSearch.count({ where: { approvalId } });

const make = (runId: string, change: RunChange) =>
  changeRun(db, runId, { at: now, build: () => ({ changes: [change], queue: { kind: "stay" }, done: null }) });

async function ask(word: string, minApprovals = 1) {
  const run = await start();
  const stepId = run.steps[0]?.id ?? "";
  const call = aCall(stepId, { status: "pending_approval", summary: `Pay the ${word}` });
  const question = aQuestion(call, { minApprovals });
  await make(run.id, turnRecordedAt(at, stepId, { calls: [call], approvals: [question] }));
  const decide = (summary: string | null, by = userId) =>
    make(run.id, {
      kind: "approval_decided",
      at,
      approvalId: question.id,
      callId: call.id,
      argumentsDigest: call.digest,
      decision: aDecision(by),
      actor: { kind: "user", id: by, name: "R" },
      edited: summary === null ? null : { ...edit, summary },
    });
  return { run, call, id: question.id, decide };
}
const edit = { canonical: "{}", shown: {}, digest: digestOf("{}"), questionDigest: digestOf("{}") };

/** A client that lets the projector run between reading what is not projected and reading what is. */
function projectedBetween(): Db {
  return new Proxy(db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== "$queryRaw") return value;
      return async (...[first, ...rest]: Parameters<Db["$queryRaw"]>) => {
        const answer = await target.$queryRaw(first as never, ...rest);
        if (/FROM journal j/.test(toStatement(first as never, rest).text)) await settle();
        return answer;
      };
    },
  });
}

/** Before it is projected, while it is, and after. */
async function throughProjection(check: () => Promise<void>): Promise<void> {
  await check();
  const hold = holdAt("projections:before-commit", { first: 1 });
  const projecting = settle();
  await hold.reached();
  await check();
  hold.release();
  await projecting;
  await check();
}

test("a run is found once by its words and its agents before it is projected, while it is, and after", async () => {
  const [agent, word] = [aWord(), aWord()];
  const old = await start();
  const facts = { workflow: "herons", retryOfRunId: old.id, agents: ["worker", agent] };
  const { id } = await start({ ...facts, params: { order: `${word}-1042` } });
  expect(await countRuns(id)).toBe(0);
  const texts = [`${word}-10`, `herons ${agent}`, id].map((text) => ({ text }));
  await throughProjection(async () => {
    for (const filter of [{ agent }, ...texts, { agent, text: word, workflow: "herons" }])
      expect(await findRuns(filter), JSON.stringify(filter)).toEqual([id]);
    for (const filter of [{ agent: word }, { text: `${word} nowhere` }, { agent, workflow: "other" }, { text: "-" }])
      expect(await findRuns(filter), JSON.stringify(filter)).toEqual([]);
    expect(await findRuns({ text: old.id })).toEqual([id, old.id]);
  });
  expect(await countRuns(id)).toBe(1);
});

test("what is projected in the middle of a search is found once", async () => {
  const word = aWord();
  const run = await start({ agents: [word] });
  expect(await findRuns({ agent: word }, projectedBetween())).toEqual([run.id]);
  const { id } = await ask(word);
  expect(await findAsked(word, projectedBetween())).toEqual([id]);
  expect([await countRuns(run.id), await countAsked(id)]).toEqual([1, 1]);
});

test("a new run comes first among very many that have the same words, alone and with other filters", async () => {
  const word = aWord();
  const facts = { agents: [word], workflow: "crowd" };
  const crowd = Array.from({ length: 620 }, () => aRun(facts));
  await writeRuns(db, [
    ...crowd.map((run) => ({ run, at: now })),
    // So many of the newest do not match that they cannot fill the page.
    ...Array.from({ length: 1_100 }, () => ({ run: aRun(), at: now })),
  ]);
  await settle();
  const { id } = await start(facts);
  const newest = [id, ...crowd.map((run) => run.id).toReversed()].slice(0, 3);
  await throughProjection(async () => {
    for (const filter of [{ agent: word }, { text: word }, { agent: word, workflow: "crowd" }])
      expect(await findRuns({ ...filter, limit: 3 }), JSON.stringify(filter)).toEqual(newest);
  });
});

test("an approval is found once by its words before it is projected, while it is, and after", async () => {
  const word = aWord();
  const { id, call, run, decide } = await ask(word);
  expect(await countAsked(id)).toBe(0);
  await throughProjection(async () => {
    for (const text of [word, `pay ${word.slice(0, 8)}`, id, call.id, run.id])
      expect(await findAsked(text)).toEqual([id]);
    for (const text of [`${word} nowhere`, `x${word}`]) expect(await findAsked(text)).toEqual([]);
  });
  expect(await countAsked(id)).toBe(1);
  await decide(null);
  expect(await findAsked(word)).toEqual([]);
  await settle();
  expect(await countAsked(id)).toBe(0);
});

test("an approval that was changed while it waits is found by its new words and not by its old ones, at once", async () => {
  const [before, after] = [aWord(), aWord()];
  const { id, decide } = await ask(before, 2);
  await settle();
  await decide(`Pay the ${after}`);
  await throughProjection(async () => {
    expect(await findAsked(after)).toEqual([id]);
    expect(await findAsked(before)).toEqual([]);
  });
});

test("words that very many approvals have find a new one and a changed one among them, at once", async () => {
  const [word, other] = [aWord(), aWord()];
  const changed = await ask(word, 2);
  await settle();
  await db.$executeRaw`INSERT INTO approval_search SELECT ${word} || n, version, words
    FROM approval_search, generate_series(1, 600) AS n WHERE approval_id = ${changed.id}`;
  await changed.decide(`Pay the ${other}`);
  const fresh = await ask(word);
  await throughProjection(async () => expect(await findAsked(word)).toEqual([fresh.id]));
});

test("a rebuild restores and corrects the search rows", async () => {
  const word = aWord();
  const { id: runId } = await start({ agents: [word] });
  const [open, over] = [await ask(word), await ask(word)];
  await over.decide(null);
  await settle();
  await db.$executeRaw`INSERT INTO approval_search SELECT ${over.id}, version, words FROM approval_search
    WHERE approval_id = ${open.id}`;
  await db.$executeRaw`DELETE FROM approval_search WHERE approval_id = ${open.id}`;
  await db.$executeRaw`DELETE FROM run_search WHERE run_id = ${runId}`;
  await db.$executeRaw`UPDATE run_search SET agents = '{}', words = '' WHERE run_id = ${open.run.id}`;
  await rebuildProjections(db, () => undefined);
  expect([await countRuns(runId), await countAsked(open.id), await countAsked(over.id)]).toEqual([1, 1, 0]);
  expect(await findRuns({ agent: word })).toEqual([runId]);
  expect(await findRuns({ agent: "worker", text: open.run.id })).toEqual([open.run.id]);
  expect(await findAsked(word)).toEqual([open.id]);
});

test("a run whose record was changed by hand, or that does not fit, is found nevertheless", async () => {
  const word = aWord();
  const [forged, unfit] = [await ask(word), await ask(word)];
  await withOpenJournal(
    db,
    (tx) =>
      tx.$executeRaw`UPDATE journal SET data = replace(data, '"agent"', '"webhook"') WHERE run_id = ${forged.run.id}`,
  );
  // Its decision is by somebody who is not among the people.
  await unfit.decide(null, "usr_nobody");
  vi.spyOn(log, "error").mockReturnValue(undefined);
  await until(() => projectNews({ db, cache: new FoldCache() }).then(() => countRuns(unfit.run.id)), {
    what: "the run that does not fit",
    isDone: (count) => count === 1,
  });
  expect(await findRuns({ text: forged.run.id })).toEqual([forged.run.id]);
  expect(await findRuns({ text: unfit.run.id })).toEqual([unfit.run.id]);
  expect(await findAsked(word)).toEqual([forged.id]);
  await db.user.create({ data: { id: "usr_nobody", email: "n@example.org", name: "N" } });
  await rebuildProjections(db, () => undefined);
});

test("no word index is on a table that starts and approvals write", async () => {
  const rows = await db.$queryRaw<{ name: string }[]>`SELECT DISTINCT i.indrelid::regclass::text AS name FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam WHERE m.amname = 'gin' ORDER BY 1`;
  expect(rows.map(({ name }) => name)).toEqual(["approval_search", "run_search"]);
});
