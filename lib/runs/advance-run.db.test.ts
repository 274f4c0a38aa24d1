import { describe, expect, test } from "vitest";
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import { startRun } from "@/lib/runs/start-run";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { listPendingOfRun } from "@/lib/approvals/queries/get-approval";
import { buildUser } from "@/lib/testing/builders";
import { useDatabase } from "@/lib/testing/database";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { oneAgentProject, openRunBench, TEST_ACTOR } from "@/lib/testing/run-bench";

const database = useDatabase();

const TWO_CALLS = `agents:
  worker:
    turns:
      - say: "I look and I act."
        call:
          - { tool: echo, arguments: { text: look } }
          - { tool: t-none, arguments: { text: act } }
      - branches:
          - when: "status.\\"t-none\\" == 'succeeded'"
            output: { did: true }
          - output: { did: false, why: "{{ status.t-none }}" }
`;
const ASK = "- echo\n- name: t-none\n  require_approval: { on_reject: recover, self_approval: false }";

async function bench(allowlist = ASK, script = TWO_CALLS) {
  const server = await startRecordingServer({});
  const run = await openRunBench(database, oneAgentProject({ url: server.url, allowlist, script }));
  const reviewer = await buildUser(run.deps, "reviewer", { name: "Rea" });
  const by: DecidedBy = { userId: reviewer.id, role: "reviewer", groups: [], actor: reviewer.actor, tokenId: null };
  return { server, ...run, by };
}

const statusOf = async (runId: string) => (await database.db.run.findUniqueOrThrow({ where: { id: runId } })).status;

describe("a run with one call that needs no approval and one that does", () => {
  test("executes the first at once, parks, and after the approval sends the other exactly once", async () => {
    const { server, deps, advance, by } = await bench();
    const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    expect(await advance(runId)).toEqual({ kind: "parked", wakeAt: null });
    expect(await statusOf(runId)).toBe("pending_approval");
    expect((await server.calls("echo")).length).toBe(1);
    expect((await server.calls("t-none")).length).toBe(0);
    const [approval] = await listPendingOfRun(deps.db, runId);
    await decideApproval(deps, by, { approvalId: approval!.id, verdict: "approved", digest: approval!.digest });
    expect(await advance(runId)).toEqual({ kind: "settled" });
    const row = await deps.db.run.findUniqueOrThrow({
      where: { id: runId },
      include: { calls: true, turns: true, steps: true },
    });
    expect(row.status).toBe("complete");
    expect(row.output).toEqual({ work: { did: true } });
    expect(row.turns).toHaveLength(2);
    expect((await server.calls("t-none")).length).toBe(1);
    expect(await verifyAudit(deps)).toMatchObject({ ok: true });
    await server.close();
  });

  test("never sends what was rejected, and gives the agent the reason", async () => {
    const { server, deps, advance, by } = await bench();
    const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    await advance(runId);
    const [approval] = await listPendingOfRun(deps.db, runId);
    await decideApproval(deps, by, { approvalId: approval!.id, verdict: "rejected", reason: "Not today" });
    expect(await advance(runId)).toEqual({ kind: "settled" });
    expect((await deps.db.run.findUniqueOrThrow({ where: { id: runId } })).output).toEqual({
      work: { did: false, why: "rejected" },
    });
    expect((await server.calls("t-none")).length).toBe(0);
    await server.close();
  });

  test("a second decision changes nothing and reports who decided", async () => {
    const { server, deps, advance, by } = await bench();
    const { runId } = await startRun(deps, { workflow: "main", params: {}, actor: TEST_ACTOR });
    await advance(runId);
    const [approval] = await listPendingOfRun(deps.db, runId);
    await decideApproval(deps, by, { approvalId: approval!.id, verdict: "approved" });
    await expect(decideApproval(deps, by, { approvalId: approval!.id, verdict: "rejected" })).rejects.toThrow(
      /already approved by Rea at/,
    );
    await server.close();
  });
});
