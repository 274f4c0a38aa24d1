import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import type { Decider } from "@/lib/approvals/rules/eligibility";
import { findCardContext } from "@/lib/approvals/find-card-context";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { holdAt } from "@/lib/testing/pause-points";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { findCard } from "@/lib/approvals/queries/find-card";
import { createId } from "@/lib/ids";
import { useDatabase } from "@/lib/testing/database";
import { eventTypes, openEngineBench, type BenchFacts, type EngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const PAY = `agents:
  worker:
    turns:
      - call: [{ tool: t-none, arguments: { amount: 5000 } }]
    otherwise: { output: { ended: "{{ status.t-none }}" } }
`;
const ASK = "- name: t-none\n  require_approval: { on_reject: recover }";

/** A run whose one call was approved and not sent yet. */
async function approvedRun(facts: Partial<BenchFacts> = {}) {
  const bench = await openEngineBench(database, { script: PAY, allowlist: ASK, ...facts });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  const by = await bench.person();
  await bench.person("admin");
  await bench.decide(approval!, "approved", { by });
  return { ...bench, runId, by, callId: approval!.callId };
}

/**
 * Continues with the same project and has not seen the server yet, so that it sees the change without a notification.
 */
const anotherProcess = (bench: EngineBench) => openEngineBench(database, { script: PAY, allowlist: ASK, on: bench });

const askedAgain = async (bench: Awaited<ReturnType<typeof approvedRun>>) => {
  expect(await bench.recorder.calls("t-none")).toHaveLength(0);
  expect(await eventTypes(database, bench.runId)).toContain("call.asked_again");
  const pending = await bench.pending(bench.runId);
  expect(pending).toHaveLength(1);
  return pending[0]!;
};

describe("between the decision and the call", () => {
  test(
    verifies("promise:4", "a disabled approver does not count: the call is asked again, with its sentence on the card"),
    async () => {
      const bench = await approvedRun();
      await setUserDisabled(bench.deps, TEST_ACTOR, { userId: bench.by.userId, disabled: true });
      expect(await bench.advance(bench.runId)).toEqual({ kind: "parked", wakeAt: null });
      const again = await askedAgain(bench);
      expect(again.summary).toBe("t-none: amount 5000");
      expect(again.trace[0]!.reason).toMatch(/an approver was shut out/);
      await bench.decide(again, "approved");
      await bench.advance(bench.runId);
      expect(await bench.recorder.calls("t-none")).toHaveLength(1);
      expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    },
  );

  test("an approver who became a viewer does not count", async () => {
    const bench = await approvedRun();
    await database.db.user.update({ where: { id: bench.by.userId }, data: { role: "viewer" } });
    await bench.advance(bench.runId);
    await askedAgain(bench);
  });

  test("an approver who left the group that the rule names does not count", async () => {
    const facts = {
      files: { "policy.yaml": "groups: { finance: {} }\n" },
      allowlist: "- name: t-none\n  require_approval: { approvers: [finance] }",
    };
    const bench = await openEngineBench(database, { script: PAY, ...facts });
    const by = await bench.person("reviewer", ["finance"]);
    const group = await database.db.group.create({ data: { id: createId("group"), name: "finance" } });
    await database.db.groupMember.create({ data: { groupId: group.id, userId: by.userId } });
    const runId = await bench.launch();
    await bench.decide((await bench.pending(runId))[0]!, "approved", { by });
    await database.db.groupMember.deleteMany({ where: { userId: by.userId } });
    await bench.advance(runId);
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
    expect(await bench.pending(runId)).toHaveLength(1);
  });

  test("in a quorum a disabled approver is missing", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: "- name: t-none\n  require_approval: { min_approvals: 2 }",
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    const first = await bench.person();
    await bench.decide(approval!, "approved", { by: first });
    await bench.decide(approval!, "approved", { by: await bench.person("admin") });
    await setUserDisabled(bench.deps, TEST_ACTOR, { userId: first.userId, disabled: true });
    await bench.advance(runId);
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
    expect(await bench.pending(runId)).toHaveLength(1);
  });

  test("a tool whose definition changed is asked again in its new form, and sent once that is approved", async () => {
    const bench = await approvedRun();
    await bench.recorder.change({ name: "t-none", description: "Does more than before" });
    const next = await anotherProcess(bench);
    await next.advance(bench.runId);
    const again = await askedAgain(bench);
    expect(again.trace.some(({ layer, reason }) => layer === "pin" && /has changed/.test(reason))).toBe(true);
    await next.decide(again, "approved");
    expect(await next.advance(bench.runId)).toEqual({ kind: "settled" });
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
  });

  test("a tool that is gone is refused", async () => {
    const bench = await approvedRun();
    await bench.recorder.remove("t-none");
    await (await anotherProcess(bench)).advance(bench.runId);
    const run = await bench.read(bench.runId);
    expect(run.output).toEqual({ work: { ended: "denied" } });
    expect(run.calls[0]!.error).toMatchObject({ code: "tool_unknown" });
  });

  test("a server that cannot be reached any more is reported, and the call is not made", async () => {
    const facts = { script: PAY, allowlist: "- t-none", server: "required: false\n" };
    const bench = await openEngineBench(database, facts);
    await pauseDispatch(bench.deps, TEST_ACTOR, true);
    const runId = await bench.launch();
    await pauseDispatch(bench.deps, TEST_ACTOR, false);
    await bench.recorder.close();
    const another = await openEngineBench(database, { ...facts, on: bench });
    another.clock.advance(60_000);
    await another.advance(runId);
    expect((await bench.read(runId)).calls[0]).toMatchObject({
      status: "denied",
      error: { code: "server_unreachable" },
    });
  });
});

describe("a project that became stricter while the run waited", () => {
  const stricter = (bench: Awaited<ReturnType<typeof approvedRun>>, facts: Partial<BenchFacts>) =>
    openEngineBench(database, { script: PAY, allowlist: ASK, on: bench, ...facts });

  test("more approvers are needed now: the old approval is not enough, the new one is", async () => {
    const bench = await approvedRun();
    const today = await stricter(bench, {
      allowlist: "- name: t-none\n  require_approval: { on_reject: recover, min_approvals: 2 }",
    });
    await today.advance(bench.runId);
    const again = await askedAgain(bench);
    expect(again.minApprovals).toBe(2);
    expect(again.trace.some(({ reason }) => /stricter now/.test(reason))).toBe(true);
    await today.decide(again, "approved");
    await today.decide(again, "approved");
    expect(await today.advance(bench.runId)).toEqual({ kind: "settled" });
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
  });

  test("the tool is denied now: the approved call is refused", async () => {
    const bench = await approvedRun();
    const today = await stricter(bench, { files: { "policy.yaml": 'permissions: { deny: ["*"] }\n' } });
    await today.advance(bench.runId);
    expect((await bench.read(bench.runId)).output).toEqual({ work: { ended: "denied" } });
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
  });

  describe("and nobody has decided yet", () => {
    const waiting = async () => {
      const bench = await openEngineBench(database, { script: PAY, allowlist: ASK });
      const runId = await bench.launch();
      return { bench, runId, approval: (await bench.pending(runId))[0]! };
    };
    const cardOf = async (today: Awaited<ReturnType<typeof openEngineBench>>, runId: string, by: Decider) => {
      const approval = (await today.pending(runId))[0]!;
      return findCard(database.db, approval.id, {
        reader: by,
        now: today.clock.now(),
        context: await findCardContext(today.deps, approval),
      });
    };

    test(
      verifies(
        "approval:stricter",
        "more approvers: the card says so, one approval leaves it pending, and the second sends it without asking again",
      ),
      async () => {
        const { bench, runId, approval } = await waiting();
        const today = await openEngineBench(database, {
          script: PAY,
          on: bench,
          allowlist: "- name: t-none\n  require_approval: { on_reject: recover, min_approvals: 2 }",
        });
        const second = await today.person();
        expect(await cardOf(bench, runId, second)).toMatchObject({ stricter: null, minApprovals: 1 });
        expect(await cardOf(today, runId, second)).toMatchObject({
          stricter: { refusal: null, was: { minApprovals: 1, approvers: [] } },
          minApprovals: 2,
          refusal: null,
        });
        expect(await today.decide(approval, "approved")).toBe("pending");
        expect(await cardOf(today, runId, second)).toMatchObject({ stricter: null, minApprovals: 2, approvals: 1 });
        expect(await today.decide(approval, "approved", { by: second })).toBe("approved");
        expect(await today.advance(runId)).toEqual({ kind: "settled" });
        expect(await bench.recorder.calls("t-none")).toHaveLength(1);
        const types = await eventTypes(database, runId);
        expect(types.filter((type) => type === "approval.requested")).toHaveLength(1);
        expect(types.filter((type) => type === "approval.tightened")).toHaveLength(1);
        expect((await verifyAudit(today.deps)).findings).toEqual([]);
      },
    );

    test("other approvers: a person who may no longer decide is refused with the reason, and their earlier approval no longer counts", async () => {
      const bench = await openEngineBench(database, {
        script: PAY,
        allowlist: "- name: t-none\n  require_approval: { on_reject: recover, min_approvals: 2 }",
      });
      const runId = await bench.launch();
      const [approval] = await bench.pending(runId);
      expect(await bench.decide(approval!, "approved")).toBe("pending");
      const today = await openEngineBench(database, {
        script: PAY,
        on: bench,
        allowlist:
          "- name: t-none\n  require_approval: { on_reject: recover, min_approvals: 2, approvers: [operator] }",
      });
      const reviewer = await today.person();
      expect((await cardOf(today, runId, reviewer))?.refusal).toMatch(/for operator to decide/);
      for (const verdict of ["approved", "rejected"] as const) {
        await expect(today.decide(approval!, verdict, { by: reviewer })).rejects.toThrow(
          /stricter now than when this was asked\. This call is for operator to decide/,
        );
      }
      expect(await today.decide(approval!, "approved", { by: await today.person("operator") })).toBe("pending");
      expect((await today.pending(runId))[0]).toMatchObject({ approvals: 1, approvers: ["operator"] });
      expect(await today.decide(approval!, "approved", { by: await today.person("admin") })).toBe("approved");
      expect(await today.advance(runId)).toEqual({ kind: "settled" });
      expect(await bench.recorder.calls("t-none")).toHaveLength(1);
    });

    test("it is denied: the card says so, it cannot be approved, and it can be rejected", async () => {
      const { bench, runId, approval } = await waiting();
      const today = await openEngineBench(database, {
        script: PAY,
        allowlist: ASK,
        on: bench,
        files: { "policy.yaml": 'permissions: { deny: ["*"] }\n' },
      });
      expect((await cardOf(today, runId, await today.person()))?.stricter?.refusal).toBe(
        "Tool 'recorder.t-none' is explicitly disallowed.",
      );
      await expect(today.decide(approval, "approved")).rejects.toThrow(/They refuse this call: .* It can be rejected/);
      expect(await today.pending(runId)).toHaveLength(1);
      expect(await today.decide(approval, "rejected")).toBe("rejected");
    });

    test("a sub-agent's call is subject to what its caller asks today", async () => {
      const script =
        "agents:\n  boss: { turns: [{ call: [{ tool: agent__worker, arguments: {} }] }], otherwise: { output: {} } }\n  worker: { turns: [{ call: [{ tool: t-none, arguments: {} }] }], otherwise: { output: {} } }\n";
      const files = (rule: string) => ({
        "agents/boss.agent.yaml": `name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers: [{ name: recorder, path: servers/recorder.server.yaml, access: { allowlist: [{ name: t-none, require_approval: { ${rule} } }] } }]\nsubagents: [agents/worker.agent.yaml]\n`,
        "workflows/main.workflow.yaml":
          "kind: workflow\nname: main\npipeline: [{ id: work, agent: ./agents/boss.agent.yaml }]\n",
      });
      const bench = await openEngineBench(database, { script, files: files("min_approvals: 1"), allowlist: ASK });
      const runId = await bench.launch();
      const today = await openEngineBench(database, {
        script,
        files: files("min_approvals: 2"),
        allowlist: ASK,
        on: bench,
      });
      expect(await today.decide((await today.pending(runId))[0]!, "approved")).toBe("pending");
    });

    test.each([
      ["gives it fewer tools", "subagents: [{ path: agents/worker.agent.yaml, tools: [recorder.echo] }]\n"],
      ["does not call it any more", ""],
    ])(
      verifies(
        "approval:stricter",
        "a sub-agent whose caller %s today: the card says so, and a call that was approved before is not sent",
      ),
      async (_what, subagents) => {
        const script =
          "agents:\n  boss: { turns: [{ call: [{ tool: agent__worker, arguments: {} }] }], otherwise: { output: {} } }\n  worker: { turns: [{ call: [{ tool: t-none, arguments: {} }] }], otherwise: { output: {} } }\n";
        const files = (below: string) => ({
          "agents/boss.agent.yaml": `name: boss\nmodel: standard\nprompt: { system: "Lead." }\nservers: [{ name: recorder, path: servers/recorder.server.yaml }]\n${below}`,
          "workflows/main.workflow.yaml":
            "kind: workflow\nname: main\npipeline: [{ id: work, agent: ./agents/boss.agent.yaml }, { id: other, agent: ./agents/worker.agent.yaml }]\n",
        });
        const allowlist = `${ASK}\n- echo`;
        const bench = await openEngineBench(database, {
          script,
          files: files("subagents: [agents/worker.agent.yaml]\n"),
          allowlist,
        });
        const runId = await bench.launch();
        const approval = (await bench.pending(runId)).find(({ stepKey }) => stepKey === "work")!;
        const today = await openEngineBench(database, { script, files: files(subagents), allowlist, on: bench });
        await expect(today.decide(approval, "approved")).rejects.toThrow(
          /They refuse this call: Tool 'recorder.t-none' is not among the tools that agent 'worker' was given/,
        );
        expect(await bench.decide(approval, "approved")).toBe("approved");
        await today.advance(runId);
        expect(await bench.recorder.calls("t-none")).toHaveLength(0);
        expect((await bench.read(runId)).calls.find(({ id }) => id === approval.callId)).toMatchObject({
          status: "denied",
          error: { code: "tool_not_permitted" },
        });
      },
    );
  });

  test("an agent that is gone is still subject to what the project says today", async () => {
    const bench = await approvedRun();
    const other = {
      "agents/other.agent.yaml": 'name: other\nmodel: standard\nprompt: { system: "Rest." }\n',
      "agents/worker.agent.yaml": 'name: someone\nmodel: standard\nprompt: { system: "Rest." }\n',
    };
    const denies = await stricter(bench, { files: { ...other, "policy.yaml": 'permissions: { deny: ["*"] }\n' } });
    await denies.advance(bench.runId);
    expect((await bench.read(bench.runId)).calls[0]!.status).toBe("denied");
    const second = await approvedRun();
    const lenient = await stricter(second, { files: other });
    expect(await lenient.advance(second.runId)).toEqual({ kind: "settled" });
    expect(await second.recorder.calls("t-none")).toHaveLength(1);
  });

  test("a call that is judged only now is asked by today's rule, and the run keeps its own project otherwise", async () => {
    const script = `agents:\n  worker:\n    turns:\n      - call: [{ tool: slow, arguments: {} }]\n      - call: [{ tool: echo, arguments: { a: 1 } }]\n    otherwise: { output: { done: true } }\n`;
    const bench = await openEngineBench(database, {
      script,
      allowlist: "- echo\n- name: slow\n  require_approval: {}",
    });
    const runId = await bench.launch();
    await bench.recorder.release("slow");
    await bench.decide((await bench.pending(runId))[0]!, "approved");
    const today = await openEngineBench(database, {
      script: PAY,
      on: bench,
      allowlist: '- name: echo\n  require_approval: { reason: "since today" }\n- name: slow\n  require_approval: {}',
    });
    await today.advance(runId);
    const [asked] = await bench.pending(runId);
    expect(asked).toMatchObject({ tool: "echo", rule: { reason: "since today" } });
    expect(await bench.recorder.calls("echo")).toHaveLength(0);
  });

  test("a project that became more lenient changes nothing for a run that waits", async () => {
    const bench = await openEngineBench(database, { script: PAY, allowlist: ASK });
    const runId = await bench.start();
    const today = await openEngineBench(database, { script: PAY, on: bench, allowlist: "- t-none" });
    await today.advance(runId);
    expect(await bench.pending(runId)).toHaveLength(1);
  });
});

describe("the switch that stops all calls", () => {
  test("stops even an approved call, which is sent when it is switched back", async () => {
    const bench = await approvedRun();
    await pauseDispatch(bench.deps, TEST_ACTOR, true);
    const outcome = await bench.advance(bench.runId);
    expect(outcome).toMatchObject({ kind: "parked", wakeAt: new Date(bench.deps.now().getTime() + 2_000) });
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
    const events = () => database.db.event.count({ where: { chainId: bench.runId } });
    const before = await events();
    bench.clock.advance(2_000);
    expect(await bench.advance(bench.runId)).toMatchObject({ kind: "parked" });
    expect(await events(), "looking again is no event").toBe(before);
    await pauseDispatch(bench.deps, TEST_ACTOR, false);
    bench.clock.advance(2_000);
    expect(await bench.advance(bench.runId)).toEqual({ kind: "settled" });
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
  });

  test("asks nobody again when it is switched back right after it has stopped a call", async () => {
    const bench = await approvedRun();
    await pauseDispatch(bench.deps, TEST_ACTOR, true);
    const held = holdAt("dispatch-call:after-executing-commit", { first: 1 });
    const { ended } = await bench.drive(bench.runId);
    await held.reached();
    await pauseDispatch(bench.deps, TEST_ACTOR, false);
    held.release();
    expect(await ended).toEqual({ kind: "settled" });
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
    expect(await database.db.approval.count({ where: { runId: bench.runId } })).toBe(1);
  });
});
