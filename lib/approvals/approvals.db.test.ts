import { describe, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { digestArguments } from "@/lib/text/digest";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { startRun } from "@/lib/runs/start-run";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { useDatabase } from "@/lib/testing/database";
import { eventTypes, openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { sweepTimers } from "@/lib/runs/worker/sweep-timers";

const database = useDatabase();

/** Asks for one call with an amount, then reports how it ended. */
const PAY = `agents:
  worker:
    turns:
      - call: [{ tool: t-none, arguments: { amount: 5000 } }]
    otherwise: { output: { ended: "{{ status.t-none }}", told: "{{ results.t-none }}" } }
`;
/** The project declares its groups, so that a misspelt name is found before anyone is asked. */
const GROUPS = { "policy.yaml": "groups: { finance: {}, desk: {}, leads: {} }\n" };
const ask = (fields: string) => `- name: t-none\n  require_approval: { ${fields} }`;

describe("who may decide", () => {
  test("a group that the rule names decides, and others learn who can", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: ask("approvers: [finance]"),
      files: GROUPS,
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    const admin = await bench.person("admin");
    await expect(bench.decide(approval!, "approved", { by: admin })).rejects.toThrow(
      /for finance to decide; anyone of finance who did not start the run can/,
    );
    expect(await bench.pending(runId)).toHaveLength(1);
    const group = await database.db.group.create({ data: { id: "grp_finance", name: "finance" } });
    const member = await bench.person("reviewer", ["finance"]);
    await database.db.groupMember.create({ data: { groupId: group.id, userId: member.userId } });
    expect(await bench.decide(approval!, "approved", { by: member })).toBe("approved");
    await bench.advance(runId);
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
  });

  test("a role that the rule names includes every role above it", async () => {
    const bench = await openEngineBench(database, { script: PAY, allowlist: ask("approvers: [operator]") });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    await expect(bench.decide(approval!, "approved", { by: await bench.person("reviewer") })).rejects.toThrow(
      /for operator to decide/,
    );
    expect(await bench.decide(approval!, "approved", { by: await bench.person("admin") })).toBe("approved");
  });

  test(
    verifies("promise:7", "whoever started the run cannot approve its calls, and a viewer cannot either"),
    async () => {
      const bench = await openEngineBench(database, { script: PAY, allowlist: ask("reason: big") });
      const runId = await bench.launch();
      const [approval] = await bench.pending(runId);
      const starter = { ...(await bench.person("admin")), userId: TEST_ACTOR.id };
      await expect(bench.decide(approval!, "approved", { by: starter })).rejects.toThrow(
        /Whoever started a run cannot decide its calls/,
      );
      await expect(bench.decide(approval!, "approved", { by: await bench.person("viewer") })).rejects.toThrow(
        /role viewer does not include deciding/,
      );
      expect((await bench.read(runId)).calls[0]!.approvals[0]!.decisions).toHaveLength(0);
    },
  );

  test("with self_approval the starter may decide", async () => {
    const bench = await openEngineBench(database, { script: PAY, allowlist: ask("self_approval: true") });
    const by = await bench.person("operator");
    const { runId } = await startRun(bench.deps, { workflow: "main", params: {}, actor: by.actor });
    await bench.advance(runId);
    expect(await bench.decide((await bench.pending(runId))[0]!, "approved", { by })).toBe("approved");
  });

  test("a quorum needs that many different people, and one rejection is enough", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: ask("min_approvals: 2, on_reject: recover"),
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    const first = await bench.person();
    expect(await bench.decide(approval!, "approved", { by: first })).toBe("pending");
    await expect(bench.decide(approval!, "approved", { by: first })).rejects.toThrow(
      /You have decided .* already; it waits for others/,
    );
    await expect(bench.advance(runId)).rejects.toThrow(/nothing to do/);
    expect(await bench.decide(approval!, "approved")).toBe("approved");
    await bench.advance(runId);
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
    const other = await bench.launch();
    const [second] = await bench.pending(other);
    expect(await bench.decide(second!, "approved")).toBe("pending");
    expect(await bench.decide(second!, "rejected", { reason: "no" })).toBe("rejected");
    await bench.advance(other);
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
    expect((await bench.read(other)).output).toMatchObject({ work: { ended: "rejected" } });
  });

  test("`when` asks only when it holds for the arguments, and also when it cannot be evaluated", async () => {
    const script = (amount: string) => PAY.replace("5000", amount);
    const small = await openEngineBench(database, { script: script("10"), allowlist: ask('when: "amount > `1000`"') });
    expect(await small.pending(await small.launch())).toHaveLength(0);
    expect(await small.recorder.calls("t-none")).toHaveLength(1);
    const broken = await openEngineBench(database, {
      script: script('"many"'),
      allowlist: ask('when: "abs(amount) > `1000`"'),
    });
    expect(await broken.pending(await broken.launch())).toHaveLength(1);
  });
});

describe("changing the arguments", () => {
  const editable = { script: PAY, allowlist: ask("on_reject: recover") };

  test(
    verifies("promise:4", "what the reviewer changed is shown, bound to the digest, sent, and reported to the model"),
    async () => {
      const bench = await openEngineBench(database, editable);
      const runId = await bench.launch();
      const [approval] = await bench.pending(runId);
      expect(await bench.decide(approval!, "approved", { arguments: { amount: 7, note: "less" } })).toBe("approved");
      const shown = (await bench.read(runId)).calls[0]!;
      expect(shown.digest).toBe(digestArguments({ amount: 7, note: "less" }));
      expect(shown.approvals[0]!.digest).toBe(shown.digest);
      expect(shown.arguments).toEqual({ amount: 7, note: "less" });
      await bench.advance(runId);
      const [sent] = await bench.recorder.calls("t-none");
      expect(digestArguments(sent!.arguments)).toBe(shown.digest);
      expect((await bench.read(runId)).output).toMatchObject({
        work: { ended: "succeeded", told: { edited_by_reviewer: true, arguments_used: { amount: 7, note: "less" } } },
      });
    },
  );

  test("changed arguments must fit the tool's schema, and nothing is decided when they do not", async () => {
    const bench = await openEngineBench(database, editable);
    await bench.recorder.change({
      name: "t-none",
      inputSchema: { type: "object", properties: { amount: { type: "number", maximum: 9000 } } },
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    await expect(bench.decide(approval!, "approved", { arguments: { amount: "lots" } })).rejects.toThrow(
      /do not fit recorder\.t-none: \/amount must be number/,
    );
    expect(await bench.pending(runId)).toHaveLength(1);
  });

  test("changed arguments are judged again by the policy", async () => {
    const bench = await openEngineBench(database, {
      ...editable,
      agent:
        'permissions:\n  rules:\n    - { tool: "*", when: "amount > `9000`", decision: deny, reason: "too much" }\n',
      allowlist: '- "*"',
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    await expect(bench.decide(approval!, "approved", { arguments: { amount: 9001 } })).rejects.toThrow(
      /The policy refuses the changed arguments/,
    );
    expect(await bench.decide(approval!, "approved", { arguments: { amount: 8999 } })).toBe("approved");
  });

  test("a rule may forbid changing them, and an approval that was given before forbids it too", async () => {
    const fixed = await openEngineBench(database, { script: PAY, allowlist: ask("edit: false") });
    const [one] = await fixed.pending(await fixed.launch());
    await expect(fixed.decide(one!, "approved", { arguments: { amount: 1 } })).rejects.toThrow(
      /does not let reviewers change the arguments/,
    );
    const two = await openEngineBench(database, { script: PAY, allowlist: ask("min_approvals: 2") });
    const runId = await two.launch();
    const [approval] = await two.pending(runId);
    await two.decide(approval!, "approved");
    await expect(two.decide(approval!, "approved", { arguments: { amount: 1 } })).rejects.toThrow(
      /cannot be changed any more/,
    );
  });

  test("in a quorum the first may change them, and the second decides what is shown now", async () => {
    const bench = await openEngineBench(database, { script: PAY, allowlist: ask("min_approvals: 2") });
    const runId = await bench.launch();
    const [before] = await bench.pending(runId);
    expect(await bench.decide(before!, "approved", { arguments: { amount: 3 } })).toBe("pending");
    await expect(bench.decide(before!, "approved")).rejects.toThrow(/are not the ones you saw/);
    const [after] = await bench.pending(runId);
    expect(await bench.decide(after!, "approved")).toBe("approved");
    await bench.advance(runId);
    expect((await bench.recorder.calls("t-none")).map((call) => call.arguments)).toEqual([{ amount: 3 }]);
  });
});

describe("time", () => {
  test(verifies("promise:2", "an expired call never reaches the server; with `fail` the step fails"), async () => {
    const bench = await openEngineBench(database, { script: PAY, allowlist: ask("timeout: 30m, on_reject: recover") });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    bench.clock.advance(30 * 60_000 - 1);
    await sweepTimers(bench.deps, () => undefined);
    expect(await bench.pending(runId)).toHaveLength(1);
    bench.clock.advance(1);
    await expect(bench.decide(approval!, "approved")).rejects.toThrow(/expired at/);
    await sweepTimers(bench.deps, () => undefined);
    await bench.advance(runId);
    const run = await bench.read(runId);
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "call_expired" });
    expect(run.calls[0]!.status).toBe("expired");
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
  });

  test("with `reject` an expiry reaches the agent with its own wording", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: ask("timeout: 45s, timeout_behavior: reject, on_reject: recover"),
    });
    const runId = await bench.launch();
    bench.clock.advance(45_000);
    await sweepTimers(bench.deps, () => undefined);
    await bench.advance(runId);
    expect((await bench.read(runId)).output).toMatchObject({
      work: { ended: "expired", told: { status: "expired", tool: "recorder.t-none", on_reject: "recover" } },
    });
  });

  test("escalation adds the approvers it names, once, and keeps those who could decide before", async () => {
    const bench = await openEngineBench(database, {
      script: PAY,
      allowlist: ask("approvers: [desk], escalate: { after: 10m, to: [leads] }"),
      files: GROUPS,
    });
    const runId = await bench.launch();
    const [approval] = await bench.pending(runId);
    const lead = await bench.person("reviewer", ["leads"]);
    const group = await database.db.group.create({ data: { id: "grp_leads", name: "leads" } });
    await database.db.groupMember.create({ data: { groupId: group.id, userId: lead.userId } });
    await expect(bench.decide(approval!, "approved", { by: lead })).rejects.toThrow(/for desk to decide/);
    bench.clock.advance(10 * 60_000);
    await sweepTimers(bench.deps, () => undefined);
    await sweepTimers(bench.deps, () => undefined);
    expect((await eventTypes(database, runId)).filter((type) => type === "approval.escalated")).toHaveLength(1);
    expect((await bench.pending(runId))[0]!.approvers.toSorted()).toEqual(["desk", "leads"]);
    expect(await bench.decide(approval!, "rejected", { by: lead })).toBe("rejected");
  });
});

describe("what a rejection does", () => {
  const rejectAll = async (fields: string, script: string) => {
    const bench = await openEngineBench(database, { script, allowlist: `${ask(fields)}\n- echo` });
    const runId = await bench.launch();
    for (let [approval] = await bench.pending(runId); approval; [approval] = await bench.pending(runId)) {
      await bench.decide(approval, "rejected", { reason: "Wrong customer" });
      await bench.advance(runId);
    }
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
    return { bench, run: await bench.read(runId) };
  };

  test("fail ends the step and with it the run, and says who refused what", async () => {
    const { run } = await rejectAll("on_reject: fail", PAY);
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({
      code: "call_rejected",
      step: "work",
      message: "recorder.t-none was rejected (Wrong customer).",
    });
    expect(run.steps[0]!.status).toBe("failed");
    expect(run.turns).toHaveLength(1);
  });

  test("recover gives the agent the structured rejection", async () => {
    const { run } = await rejectAll("on_reject: recover", PAY);
    expect(run.status).toBe("complete");
    expect(run.output).toEqual({
      work: {
        ended: "rejected",
        told: {
          status: "rejected",
          tool: "recorder.t-none",
          reason: "Wrong customer",
          on_reject: "recover",
          tries_left: null,
        },
      },
    });
  });

  test("retry lets the agent propose another call twice, then fails", async () => {
    const turns = [1, 2, 3, 4]
      .map((amount) => `      - call: [{ tool: t-none, arguments: { amount: ${amount} } }]`)
      .join("\n");
    const { run } = await rejectAll("on_reject: retry", `agents:\n  worker:\n    turns:\n${turns}\n`);
    expect(run.calls.map((call) => (call.arguments as { amount: number }).amount)).toEqual([1, 2, 3]);
    expect(run.status).toBe("failed");
    expect(run.error).toMatchObject({ code: "call_rejected", message: expect.stringContaining("3 times") });
  });

  test("retry counts turns, not the calls of one turn", async () => {
    const call = (amount: number) => `{ tool: t-none, arguments: { amount: ${amount} } }`;
    const script = `agents:\n  worker:\n    turns:\n      - call: [${[1, 2, 3].map(call).join(", ")}]\n    otherwise: { output: { told: "{{ results.t-none }}" } }\n`;
    const { run } = await rejectAll("on_reject: retry", script);
    expect(run.output).toMatchObject({ work: { told: { status: "rejected", tries_left: 2 } } });
  });

  test("skip withdraws the tool for the rest of the step", async () => {
    const script = `agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 1 } }]\n      - call: [{ tool: mcp__recorder__t-none, arguments: { amount: 2 }, unlisted: true }, { tool: echo, arguments: { a: 1 } }]\n    otherwise: { output: { statuses: "{{ last[].status }}", told: "{{ results.t-none }}" } }\n`;
    const { run } = await rejectAll("on_reject: skip", script.replace('"{{ last[].status }}"', '"{{ status.echo }}"'));
    expect(run.output).toMatchObject({ work: { statuses: "succeeded", told: { status: "denied" } } });
    expect((run.turns[1]!.request as { tools: string[] }).tools).not.toContain("mcp__recorder__t-none");
    expect(run.calls.map((call) => call.status)).toEqual(["rejected", "denied", "succeeded"]);
  });

  test("degrade gives one last turn without tools and marks the step", async () => {
    const { run } = await rejectAll("on_reject: degrade", PAY);
    expect(run.status).toBe("complete");
    expect(run.steps[0]!.degraded).toBe(true);
    const last = run.turns[1]!.request as { tools: string[]; messages: { text: string }[] };
    expect(last.tools).toEqual([]);
    expect(last.messages[0]!.text).toMatch(/last turn/);
  });

  test("a call proposed on the last turn is refused, because no tool was offered", async () => {
    const script = `agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 1 } }]\n      - call: [{ tool: mcp__recorder__echo, arguments: {}, unlisted: true }]\n    otherwise: { output: { told: "{{ results.echo }}" } }\n`;
    const { bench, run } = await rejectAll("on_reject: degrade", script);
    expect(await bench.recorder.calls("echo")).toHaveLength(0);
    expect(run.output).toMatchObject({ work: { told: { code: "no_tools_left" } } });
  });

  test("a repeated call gets the earlier rejection as its answer, and nobody is asked twice", async () => {
    const turn = "      - call: [{ tool: t-none, arguments: { amount: 5000 } }]";
    const script = `agents:\n  worker:\n    turns:\n${turn}\n${turn}\n${turn}\n    otherwise: { output: { told: "{{ results.t-none }}" } }\n`;
    const { run } = await rejectAll("on_reject: recover", script);
    expect(run.calls.map((call) => [call.status, call.approvals.length])).toEqual([
      ["rejected", 1],
      ["rejected", 0],
      ["rejected", 0],
    ]);
    expect(run.output).toMatchObject({
      work: { told: { status: "rejected", reason: "Wrong customer", on_reject: "recover" } },
    });
  });
});

test("a person who saw other arguments cannot decide", async () => {
  const bench = await openEngineBench(database, { script: PAY, allowlist: ask("reason: big") });
  const [approval] = await bench.pending(await bench.launch());
  const command = { approvalId: approval!.id, verdict: "approved" as const, digest: digestArguments({ amount: 1 }) };
  await expect(decideApproval(bench.deps, await bench.person(), command)).rejects.toThrow(/not the ones you saw/);
});
