import { describe, expect, test } from "vitest";
import { replayCalls, type ReplayOptions } from "@/lib/runs/replay-calls";
import { useDatabase } from "@/lib/testing/database";
import { type BenchFacts, type EngineBench, openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();

/** One call, one with an amount, one that nobody may make. */
const SCRIPT = `agents:
  worker:
    turns:
      - call: [{ tool: echo, arguments: {} }, { tool: t-none, arguments: { amount: 50 } }, { tool: forbidden, unlisted: true, arguments: {} }]
    otherwise: { output: { done: true } }
`;
const FIRST: BenchFacts = { script: SCRIPT, allowlist: "- echo\n- t-none" };

async function past(): Promise<EngineBench> {
  const bench = await openEngineBench(database, FIRST);
  await bench.launch();
  return bench;
}

async function replay(bench: EngineBench, facts: Partial<BenchFacts>, options: Partial<ReplayOptions> = {}) {
  const edited = await openEngineBench(database, { ...FIRST, ...facts, on: bench });
  const { project } = edited.deps.projects.current();
  const { calls, changed, isCut } = await replayCalls(
    { db: database.db, project, allowBypass: false, hasLock: false },
    { since: bench.clock.now(), limit: 100, ...options },
  );
  return {
    calls,
    isCut,
    changed: changed.map(({ tool, before, now, reason, source }) => ({ tool, before, now, reason, source })),
  };
}

describe("past calls and the current YAML", () => {
  test("says what would newly be asked, allowed and denied, and which line decides", async () => {
    const bench = await past();
    const runs = await database.db.run.count();
    expect((await replay(bench, {})).changed).toEqual([]);

    const asked = await replay(bench, {
      allowlist: '- echo\n- name: t-none\n  require_approval: { when: "amount > `10`", reason: Big }',
    });
    expect(asked.changed).toEqual([
      {
        tool: "recorder.t-none",
        before: "allow",
        now: "ask",
        reason: expect.stringContaining("Big"),
        source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
      },
    ]);
    expect(
      (
        await replay(bench, {
          allowlist: '- echo\n- name: t-none\n  require_approval: { when: "amount > `1000`", reason: Big }',
        })
      ).changed,
    ).toEqual([]);

    const other = await replay(bench, { allowlist: "- t-none\n- forbidden" });
    expect(other.changed).toEqual(
      expect.arrayContaining([expect.objectContaining({ tool: "recorder.echo", before: "allow", now: "deny" })]),
    );
    expect(await database.db.run.count()).toBe(runs);
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
  });

  test("what was asked then and is not now is newly allowed; an agent that is gone is denied", async () => {
    const bench = await openEngineBench(database, {
      ...FIRST,
      allowlist: "- echo\n- name: t-none\n  require_approval: { reason: Big }",
    });
    bench.clock.advance(1_000);
    const since = bench.clock.now();
    await bench.launch();
    expect((await replay(bench, { allowlist: "- echo\n- t-none" }, { since })).changed).toEqual([
      {
        tool: "recorder.t-none",
        before: "ask",
        now: "allow",
        reason: expect.any(String),
        source: expect.stringMatching(/^agents\/worker\.agent\.yaml:\d+$/),
      },
    ]);
    const renamed = {
      "agents/worker.agent.yaml": 'name: other\nmodel: standard\nprompt: { system: "Work.", user: "Go." }\n',
    };
    expect((await replay(bench, { files: renamed }, { since })).changed).toEqual([
      {
        tool: "recorder.t-none",
        before: "ask",
        now: "deny",
        reason: "there is no agent worker any more",
        source: null,
      },
      {
        tool: "recorder.echo",
        before: "allow",
        now: "deny",
        reason: "there is no agent worker any more",
        source: null,
      },
    ]);
  });

  test("checks as many as requested, newest first, and says that there are more", async () => {
    const bench = await past();
    const all = await replay(bench, {});
    expect(all).toMatchObject({ isCut: false });
    expect(await replay(bench, {}, { limit: all.calls - 1 })).toMatchObject({ calls: all.calls - 1, isCut: true });
    expect(await replay(bench, {}, { workflow: "none-such" })).toMatchObject({ calls: 0, isCut: false });
  });

  test("a call that a person edited is judged by the agent's proposal, so an edit is no difference", async () => {
    const allowlist = '- echo\n- name: t-none\n  require_approval: { when: "amount > `10`", reason: Big }';
    const bench = await openEngineBench(database, { ...FIRST, allowlist });
    bench.clock.advance(3_600_000);
    const since = bench.clock.now();
    const runId = await bench.launch();
    await bench.decide((await bench.pending(runId))[0]!, "approved", { arguments: { amount: 5 } });
    await bench.advance(runId);
    expect((await bench.recorder.calls("t-none"))[0]).toMatchObject({ arguments: { amount: 5 } });
    expect((await replay(bench, { allowlist }, { since })).changed).toEqual([]);
    const lenient = await replay(bench, { allowlist: allowlist.replace("`10`", "`100`") }, { since });
    expect(lenient.changed, "what was asked for would not be asked about now").toMatchObject([
      { tool: "recorder.t-none", before: "ask", now: "allow" },
    ]);
  });

  test("what was ended by something other than the rules is no difference either", async () => {
    const script =
      "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: many } }]\n    otherwise: { output: {} }\n";
    const facts = { script, allowlist: "- name: t-none\n  require_approval: {}" };
    const bench = await openEngineBench(database, facts);
    await bench.recorder.change({
      name: "t-none",
      inputSchema: { type: "object", properties: { amount: { type: "integer" } } },
    });
    bench.clock.advance(7_200_000);
    const since = bench.clock.now();
    const runId = await bench.launch();
    expect((await bench.read(runId)).calls).toMatchObject([{ status: "failed", error: { code: "invalid_arguments" } }]);
    expect(await replay(bench, facts, { since })).toMatchObject({ calls: 0, changed: [] });
  });
});
