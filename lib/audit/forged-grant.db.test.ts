/** Someone with write access to the database forges an approval: the call is not sent, and what they wrote is found. */
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { createId } from "@/lib/ids";
import { useDatabase } from "@/lib/testing/database";
import { openEngineBench } from "@/lib/testing/engine-bench";

const database = useDatabase();
const PAY =
  "agents:\n  worker:\n    turns:\n      - call: [{ tool: t-none, arguments: { amount: 5000 } }]\n    otherwise: { output: {} }\n";

async function asked() {
  const bench = await openEngineBench(database, {
    script: PAY,
    allowlist: "- name: t-none\n  require_approval: { reason: big }",
  });
  const runId = await bench.launch();
  const [approval] = await bench.pending(runId);
  const findings = async () => (await verifyAudit(bench.deps)).findings.filter(({ row }) => row.startsWith(runId));
  const wake = () => database.db.run.update({ where: { id: runId }, data: { wakeAt: bench.clock.now() } });
  return { bench, runId, approval: approval!, findings, wake };
}

test(
  verifies(
    "audit:tampering",
    "a decision that was written into the database by hand is named, and so is the call that it was meant to send",
  ),
  async () => {
    const { bench, runId, approval, findings, wake } = await asked();
    const { userId } = await bench.person("reviewer");
    const id = createId("decision");
    await database.db.decision.create({
      data: {
        id,
        approvalId: approval.id,
        userId,
        verdict: "approved",
        digest: approval.digest,
        createdAt: bench.clock.now(),
      },
    });
    await database.db.approval.update({
      where: { id: approval.id },
      data: { status: "approved", approvals: 1, decidedAt: bench.clock.now() },
    });
    await database.db.call.update({ where: { id: approval.callId }, data: { status: "approved" } });
    await wake();
    await expect(bench.advance(runId)).rejects.toThrow(/its status is approved on the row and pending on the sealed/);
    expect(await bench.recorder.calls("t-none")).toHaveLength(0);
    expect(await findings()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          row: `${runId} ${id}`,
          problem: expect.stringContaining("no event tells of this decision"),
        }),
        expect.objectContaining({
          row: `${runId} ${approval.id}`,
          problem: expect.stringContaining("its status is approved on the row"),
        }),
      ]),
    );
  },
);

test(
  verifies(
    "audit:tampering",
    "arguments of a call that were changed after it was sent are named; what people decided and Kimitsu sent is not",
  ),
  async () => {
    const { bench, runId, approval, findings } = await asked();
    await bench.decide(approval, "approved", { arguments: { amount: 10 } });
    await bench.advance(runId);
    expect(await bench.recorder.calls("t-none")).toHaveLength(1);
    expect(await findings()).toEqual([]);
    await database.db.call.update({ where: { id: approval.callId }, data: { digest: approval.digest } });
    expect(await findings()).toEqual([
      expect.objectContaining({
        row: `${runId} ${approval.callId}`,
        problem: expect.stringContaining("no event tells of these arguments"),
      }),
    ]);
  },
);
