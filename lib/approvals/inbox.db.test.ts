import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { changePreferences } from "@/lib/people/change-preferences";
import { extendApproval } from "@/lib/approvals/extend-approval";
import { setAside, takeUp } from "@/lib/approvals/set-aside";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { findCard } from "@/lib/approvals/queries/find-card";
import { findSessionUser } from "@/lib/people/queries/find-session-user";
import { getInboxCounts } from "@/lib/approvals/queries/inbox-counts";
import { listEvents } from "@/lib/audit/queries/list-events";
import { listInbox } from "@/lib/approvals/queries/list-inbox";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { testDeps } from "@/lib/testing/deps";
import { eventTypes, openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const MIN = 60_000;
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";
const open = (rule = "reason: big") =>
  openEngineBench(database, { script: PAY, allowlist: `- name: t-none\n  require_approval: { ${rule} }` });
type Bench = Awaited<ReturnType<typeof open>>;

async function queues(bench: Bench, reader: Parameters<typeof listInbox>[1]) {
  const ids = async (only: boolean) =>
    (await listInbox(database.db, reader, { sort: "age", aside: { only, now: bench.clock.now() } })).items.map(
      (row) => row.id,
    );
  return {
    first: await ids(false),
    aside: await ids(true),
    count: (await getInboxCounts(database.db, reader, bench.clock.now())).aside,
  };
}

test(
  verifies(
    "inbox:aside",
    "a call set aside sinks for that person alone, returns when its time comes, and others can read the note",
  ),
  async () => {
    const bench = await open();
    const [ana, ben] = [await bench.person(), await bench.person()];
    const runId = await bench.launch();
    const { id } = (await bench.pending(runId))[0]!;
    const at = bench.clock.now();
    await setAside(bench.deps, ana, { approvalId: id, minutes: 60, note: " waits for finance " });
    expect(await queues(bench, ana)).toEqual({ first: [], aside: [id], count: 1 });
    expect(await queues(bench, ben)).toEqual({ first: [id], aside: [], count: 0 });
    const card = await findCard(database.db, id, { reader: ben, now: bench.clock.now() });
    expect(card?.setAsides).toEqual([
      {
        userId: ana.userId,
        by: ana.actor.name,
        isReader: false,
        note: "waits for finance",
        at: at.toISOString(),
        until: new Date(at.getTime() + 60 * MIN).toISOString(),
        isHeld: true,
      },
    ]);
    expect((await listInbox(database.db, ben, { sort: "age" })).items[0]?.notesBy).toEqual([ana.actor.name]);
    bench.clock.advance(61 * MIN);
    expect(await queues(bench, ana)).toEqual({ first: [id], aside: [], count: 0 });
    expect((await findCard(database.db, id, { reader: ana, now: bench.clock.now() }))?.setAsides).toMatchObject([
      { isHeld: false, note: "waits for finance" },
    ]);
    expect(await eventTypes(database, runId)).toContain("approval.set_aside");
    expect((await verifyAudit(bench.deps)).findings).toEqual([]);
    await bench.decide((await bench.pending(runId))[0]!, "rejected");
    await expect(setAside(bench.deps, ana, { approvalId: id, minutes: 5 })).rejects.toThrow(
      /is rejected; nothing was changed/,
    );
  },
);

test(
  verifies(
    "inbox:aside",
    "any change brings it back, and so can its person; nobody can set aside what is not theirs to decide",
  ),
  async () => {
    const bench = await open("approvers: [operator], timeout: 2h");
    const ana = await bench.person("operator");
    const { id } = (await bench.pending(await bench.launch()))[0]!;
    await expect(
      setAside(bench.deps, await bench.person("reviewer"), { approvalId: id, minutes: 5 }),
    ).rejects.toMatchObject({ code: "forbidden" });
    await setAside(bench.deps, ana, { approvalId: id, minutes: null });
    expect((await queues(bench, ana)).aside).toEqual([id]);
    await extendApproval(bench.deps, ana, { approvalId: id, byMs: MIN });
    expect((await queues(bench, ana)).aside).toEqual([]);
    await setAside(bench.deps, ana, { approvalId: id, minutes: null });
    await takeUp(bench.deps, ana, id);
    expect((await queues(bench, ana)).first).toContain(id);
    await expect(takeUp(bench.deps, ana, id)).rejects.toMatchObject({ code: "conflict" });
    await expect(setAside(bench.deps, ana, { approvalId: id, minutes: 0 })).rejects.toMatchObject({
      code: "invalid_request",
    });
  },
);

test(
  verifies(
    "preferences:account",
    "a change of preferences keeps the other preferences, is recorded on the trail, and is read with the session",
  ),
  async () => {
    const deps = testDeps(database);
    const user = await buildUser(deps, "viewer");
    await database.db.user.update({ where: { id: user.id }, data: { preferences: { other: 1 } } });
    await changePreferences(deps, user.actor, { userId: user.id, preferences: { theme: "dark" } });
    await changePreferences(deps, user.actor, { userId: user.id, preferences: { keys: false, landing: "history" } });
    expect((await findSessionUser(database.db, { id: "any", userId: user.id }))?.preferences).toEqual({
      theme: "dark",
      keys: false,
      notifications: false,
      landing: "history",
    });
    expect(await database.db.user.findUniqueOrThrow({ where: { id: user.id } })).toMatchObject({
      preferences: { other: 1, theme: "dark" },
    });
    expect((await listEvents(database.db, { type: "user.preferences_changed" })).items).toHaveLength(2);
    await expect(
      changePreferences(deps, user.actor, { userId: user.id, preferences: { theme: "pink" as never } }),
    ).rejects.toMatchObject({ code: "invalid_request" });
  },
);
