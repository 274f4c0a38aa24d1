import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { findAskingClient } from "@/lib/proxy/queries/find-client";
import { findSession, listSessions, parseSessionCursor } from "@/lib/proxy/queries/list-sessions";
import { listTranscript } from "@/lib/proxy/queries/list-transcript";
import { listHistory } from "@/lib/runs/queries/list-history";
import { listRuns } from "@/lib/runs/queries/list-runs";
import { buildUser } from "@/lib/testing/builders";
import { aRun } from "@/lib/testing/changes";
import { addCalls, buildSession, type SeededSession } from "@/lib/testing/client-sessions";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { projectAll } from "@/lib/testing/project-all";
import { writeRuns } from "@/lib/testing/write-runs";

const database = useDatabase();

async function bench() {
  const deps = testDeps(database);
  const ana = await buildUser(deps, "operator", { name: `Ana ${Math.random()}` });
  return { deps, db: deps.db, now: deps.now(), ana };
}

type Bench = Awaited<ReturnType<typeof bench>>;

const fingerprint = (value: string) => `of ${value.length}`;
const call = (tool: string) => ({ tool, summary: `Do ${tool}` });

/** Every page of History, as a reader who scrolls to the end gets it. */
async function readAll({ db, now, ana }: Bench, query: { limit: number; isFolded: boolean }) {
  const rows = [];
  for (let cursor: string | undefined; ;) {
    const page = await listHistory(db, { ...query, who: ana.name, now, cursor });
    rows.push(...page.items);
    if (page.nextCursor === null) return rows;
    cursor = page.nextCursor;
  }
}

test(
  verifies(
    "clients:sessions",
    "sessions come with what they did, those used last first, and pages miss and repeat none",
  ),
  async () => {
    const { deps, db, ana } = await bench();
    const built: SeededSession[] = [];
    for (let hour = 0; hour < 5; hour++)
      built.push(
        await buildSession(deps, ana, { lastSeenAt: new Date(Date.UTC(2026, 0, 1, hour)), clientName: "Claude Code" }),
      );
    await addCalls(deps, built[4]!, [
      call("read"),
      { ...call("write"), outcome: "waiting" },
      { ...call("drop"), outcome: "failed" },
    ]);
    const first = await listSessions(db, { who: ana.name, limit: 2 });
    expect(first.items.map(({ id }) => id)).toEqual([built[4]!.id, built[3]!.id]);
    expect(first.items[0]).toMatchObject({
      client: "Claude Code 1.0.0",
      person: { name: ana.name },
      calls: { total: 3, waiting: 1, failed: 1 },
    });
    const second = await listSessions(db, { who: ana.name, limit: 2, cursor: parseSessionCursor(first.nextCursor!) });
    const third = await listSessions(db, { who: ana.name, limit: 2, cursor: parseSessionCursor(second.nextCursor!) });
    expect([...second.items, ...third.items].map(({ id }) => id)).toEqual([built[2]!.id, built[1]!.id, built[0]!.id]);
    expect(third.nextCursor).toBeNull();
  },
);

test(
  verifies("clients:sessions", "sessions are found by profile, person, client, and by whether something of them waits"),
  async () => {
    const { deps, db, ana } = await bench();
    const jo = await buildUser(deps, "operator", { name: `Jo ${Math.random()}` });
    const profile = `p-${Math.random()}`;
    const [coding, other, joes] = [
      await buildSession(deps, ana, { profile, clientName: "Zed", clientVersion: "0.211" }),
      await buildSession(deps, ana, { profile: `${profile}-other`, clientName: "Codex" }),
      await buildSession(deps, jo, { profile, clientName: "Zed" }),
    ];
    await addCalls(deps, coding, [call("read")]);
    await addCalls(deps, other, [{ ...call("write"), outcome: "waiting" }]);
    const found = async (filter: Parameters<typeof listSessions>[1]) =>
      (await listSessions(db, filter)).items.map(({ id }) => id).toSorted();
    expect(await found({ profile })).toEqual([coding.id, joes.id].toSorted());
    expect(await found({ profile, who: ana.name })).toEqual([coding.id]);
    expect(await found({ who: ana.name, waiting: true })).toEqual([other.id]);
    expect(await found({ who: ana.name, text: "zed 0.2" })).toEqual([coding.id]);
    expect(await found({ text: joes.id })).toEqual([joes.id]);
    expect(await findSession(db, "ses_00000000000000000000000000")).toBeNull();
  },
);

test(
  verifies("clients:transcript", "a session reads in the order of its calls, with what the policy and people said"),
  async () => {
    const { deps, db, ana } = await bench();
    const mira = await buildUser(deps, "reviewer", { name: "Mira" });
    const session = await buildSession(deps, ana);
    await addCalls(deps, session, [
      { ...call("read"), arguments: { id: 7 }, output: "seven" },
      { ...call("pay"), outcome: "approved", by: mira },
      { ...call("drop"), outcome: "rejected", by: mira, said: "Not on a Friday" },
      { ...call("secret"), outcome: "denied" },
    ]);
    const { entries, earlier } = await listTranscript(db, { fingerprint, sessionId: session.id });
    expect(earlier).toBeNull();
    expect(entries.map((entry) => [entry.call?.tool, entry.call?.status])).toEqual([
      ["read", "succeeded"],
      ["pay", "succeeded"],
      ["drop", "rejected"],
      ["secret", "denied"],
    ]);
    expect(entries[0]?.call).toMatchObject({ arguments: { id: 7 }, result: { output: "seven" } });
    expect(entries[2]?.call?.decidedBy).toMatchObject([{ name: "Mira", reason: "Not on a Friday" }]);
    expect(entries[3]?.call?.reasons).toMatchObject([{ outcome: "deny", source: "profiles/coding.profile.yaml:9" }]);
    const newest = await listTranscript(db, { fingerprint, sessionId: session.id, limit: 3 });
    expect(newest.entries.map((entry) => entry.call?.tool)).toEqual(["pay", "drop", "secret"]);
    const before = await listTranscript(db, { fingerprint, sessionId: session.id, limit: 3, before: newest.earlier! });
    expect(before.entries.map((entry) => entry.call?.tool)).toEqual(["read"]);
  },
);

test(
  verifies(
    "clients:asking",
    "a card's client comes with what its session did before, and with nothing of other sessions",
  ),
  async () => {
    const { deps, db, ana } = await bench();
    const [session, other] = [
      await buildSession(deps, ana, { clientName: "Curs\u200bor" }),
      await buildSession(deps, ana),
    ];
    await addCalls(deps, other, [call("elsewhere")]);
    const ids = await addCalls(deps, session, [
      call("one"),
      { ...call("two"), outcome: "failed" },
      { ...call("three"), outcome: "waiting" },
      call("four"),
    ]);
    const client = await findAskingClient(db, ids[2]!);
    expect(client).toMatchObject({ sessionId: session.id, profile: "coding", token: "laptop", hasMore: false });
    expect(client?.name, "what cannot be seen is written out").not.toContain("\u200b");
    expect(client?.before.map(({ tool, status }) => [tool, status])).toEqual([
      ["two", "failed"],
      ["one", "succeeded"],
    ]);
  },
);

test(
  verifies("history:sessions", "each session is one row at its newest call, with a count, however its calls are mixed"),
  async () => {
    const at = await bench();
    const { deps, db, ana } = at;
    const [one, two] = [await buildSession(deps, ana), await buildSession(deps, ana)];
    const startedBy = { startedBy: { ...ana.actor }, startedByUserId: ana.id };
    const plain: string[] = [];
    for (let round = 0; round < 4; round++) {
      await addCalls(deps, one, [call(`one-${round}`), { ...call("x"), outcome: round === 0 ? "waiting" : "failed" }]);
      const run = aRun(startedBy);
      await writeRuns(db, [{ run, at: deps.now() }]);
      plain.push(run.id);
      if (round === 1) await addCalls(deps, two, [call("two")]);
    }
    await projectAll(db);
    const whole = await readAll(at, { limit: 50, isFolded: true });
    for (const limit of [1, 2, 3]) {
      const rows = await readAll(at, { limit, isFolded: true });
      expect(
        rows.map(({ id }) => id),
        `pages of ${limit}`,
      ).toEqual(whole.map(({ id }) => id));
    }
    expect(whole.map(({ client, id }) => client?.sessionId ?? id)).toEqual([
      plain[3],
      one.id,
      plain[2],
      two.id,
      plain[1],
      plain[0],
    ]);
    const folded = whole.find(({ client }) => client?.sessionId === one.id);
    expect(folded?.client).toMatchObject({
      name: "Test client 1.0.0",
      profile: "coding",
      tool: "shop.x",
      folded: { calls: 8, waiting: 1, failed: 3 },
    });
    expect(whole.find(({ client }) => client?.sessionId === two.id)?.client?.folded?.calls).toBe(1);
    expect((await readAll(at, { limit: 3, isFolded: false })).length).toBe(13);
  },
);

test(
  verifies("history:sessions", "a folded row stands for the calls that match the filter, and for no others"),
  async () => {
    const { deps, db, now, ana } = await bench();
    const tokenName = `laptop${Math.random().toString(36).slice(2)}`;
    const session = await buildSession(deps, ana, { tokenName });
    const ids = await addCalls(deps, session, [
      { ...call("a"), outcome: "failed" },
      { ...call("b"), outcome: "failed" },
      call("c"),
    ]);
    const page = await listHistory(db, { who: ana.name, status: ["failed"], isFolded: true, now });
    expect(page.items.map(({ id }) => id)).toEqual([ids[1]]);
    expect(page.items[0]?.client?.folded).toMatchObject({
      calls: 2,
      isCapped: false,
      waiting: 0,
      failed: 2,
      workedMs: 180,
    });
    const text = await listHistory(db, { text: tokenName, isFolded: true, now });
    expect(text.items.map(({ id }) => id)).toEqual([ids[2]]);
  },
);

test(
  verifies("history:via", "runs are found by whether an MCP client or a workflow made them, and by session"),
  async () => {
    const { deps, db, ana } = await bench();
    const session = await buildSession(deps, ana);
    const [called] = await addCalls(deps, session, [call("a")]);
    const run = aRun({ startedBy: { ...ana.actor }, startedByUserId: ana.id });
    await writeRuns(db, [{ run, at: deps.now() }]);
    const found = async (filter: Parameters<typeof listRuns>[1]) =>
      (await listRuns(db, { who: ana.name, ...filter })).items.map(({ id }) => id);
    expect(await found({ via: "mcp" })).toEqual([called]);
    expect(await found({ via: "workflow" })).toEqual([run.id]);
    expect(await found({ session: session.id })).toEqual([called]);
  },
);
