/**
 * A run that is claimed by the statement that gives it something to do has the same state in its worker as if it had
 * been read afterwards.
 */
import { expect, test } from "vitest";
import { LEASE_MS } from "@/lib/limits";
import { type Executor } from "@/lib/runs/journal/commit";
import { changeLockedRun, type OutsideChange } from "@/lib/runs/journal/change-run";
import { claimChange, type Claimed, claimMove } from "@/lib/runs/journal/claim-run";
import { getOpenRun, type OpenRun } from "@/lib/runs/journal/open-run";
import { advanceRun } from "@/lib/runs/advance-run";
import { createId } from "@/lib/ids";
import { useDatabase } from "@/lib/testing/database";
import { type EngineBench, eventTypes, openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { startRun } from "@/lib/runs/start-run";

const database = useDatabase();

const SCRIPT = `agents:
  worker:
    turns:
      - call: [{ tool: t-none, arguments: { n: 1 } }, { tool: t-none, arguments: { n: 2 } }]
    otherwise: { output: { ended: "{{ status.t-none }}" } }
`;
const WORKFLOW = `kind: workflow
name: main
params: { schema: { type: object, properties: { key: { type: string, secret: true }, note: { type: string } } } }
model_policy: { cost_budget_usd: 0.5 }
pipeline:
  - { id: work, agent: ./agents/worker.agent.yaml }
  - { id: tidy, depends_on: [work], transform: { inputs: [{ from: work }], ops: [] } }
`;

/** A worker that has a worker slot for every run, and does nothing with it. */
function openWorkerSlot({ deps, woken }: EngineBench): { claims: Claimed[]; left: number } {
  const workerSlot = { claims: [] as Claimed[], left: 0 };
  const owner = createId("worker");
  woken.length = 0;
  deps.workerSlot = () => ({
    owner,
    take: (claimed) => void workerSlot.claims.push(claimed),
    leave: async () => void workerSlot.left++,
  });
  return workerSlot;
}

const plain = ({ openSecrets, ...run }: OpenRun) => ({ ...run, secrets: openSecrets() });

async function expectAsRead(claimed: Claimed | undefined, runId: string): Promise<void> {
  const row = await database.db.run.findUniqueOrThrow({ where: { id: runId } });
  expect(row).toMatchObject({
    status: "running",
    leaseOwner: claimed?.lease.owner,
    epoch: claimed?.lease.epoch,
    seq: claimed?.run.head.seq,
    wakeAt: null,
  });
  expect(plain(claimed!.run)).toEqual(plain(await getOpenRun(database.db, runId)));
}

const open = (rule: string) =>
  openEngineBench(database, {
    script: SCRIPT,
    allowlist: `- name: t-none\n  require_approval: { ${rule} }`,
    workflow: WORKFLOW,
  });

test("a start", async () => {
  const bench = await open("reason: big");
  const workerSlot = openWorkerSlot(bench);
  const { runId } = await startRun(bench.deps, {
    workflow: "main",
    params: { key: "hush", note: "n" },
    actor: TEST_ACTOR,
  });
  await expectAsRead(workerSlot.claims[0], runId);
  expect(workerSlot.claims[0]!.run.openSecrets()).toEqual({ key: "hush" });
  expect(await eventTypes(database, runId)).toEqual(["run.created", "run.started"]);
  expect(bench.woken).toEqual([]);
});

test.each([
  { name: "an approval, while another call waits", verdict: "approved", command: {} },
  { name: "a rejection, with its reason", verdict: "rejected", command: { reason: "too much" } },
  { name: "an approval with other arguments", verdict: "approved", command: { arguments: { n: 7 } } },
] as const)("$name", async ({ verdict, command }) => {
  const bench = await open("on_reject: recover");
  const runId = await bench.launch();
  const [first, second] = await bench.pending(runId);
  const workerSlot = openWorkerSlot(bench);
  await bench.decide(first!, verdict, command);
  await expectAsRead(workerSlot.claims[0], runId);
  expect((await eventTypes(database, runId)).slice(-2)).toEqual(["approval.decided", "run.resumed"]);
  // Another worker has the run now: the second decision wakes it and claims nothing.
  await bench.decide(second!, "approved");
  expect(workerSlot).toMatchObject({ claims: [{}], left: 1 });
  expect(bench.woken).toEqual([runId]);
  // What came after the claim is not missed: its worker reads it before it releases the run.
  await advanceRun(bench.deps, workerSlot.claims[0]!, { signal: new AbortController().signal });
  expect((await bench.read(runId)).status).toBe("complete");
});

test("the last of several required decisions, and none before", async () => {
  const bench = await open("min_approvals: 2");
  const runId = await bench.launch();
  const [first, second] = await bench.pending(runId);
  const workerSlot = openWorkerSlot(bench);
  await bench.decide(first!, "approved", { arguments: { n: 9 } });
  expect(workerSlot).toMatchObject({ claims: [], left: 1 });
  const [edited] = await bench.pending(runId);
  await bench.decide(edited!, "approved");
  await expectAsRead(workerSlot.claims[0], runId);
  const { calls } = workerSlot.claims[0]!.run.snapshot;
  expect([...calls.values()].map(({ status }) => status)).toEqual(["approved", "pending_approval"]);
  expect(second!.status).toBe("pending");
});

/** Decides while somebody else changes the run, in a transaction that ends while the decision waits for the row. */
async function decideMeanwhile(bench: EngineBench, runId: string, build: (run: OpenRun) => OutsideChange<null>) {
  const [first] = await bench.pending(runId);
  return database.db.$transaction(async (tx) => {
    await changeLockedRun(tx, runId, { build, at: bench.deps.now() });
    const decided = bench.decide(first!, "approved");
    await untilOneWaits(tx);
    return { decided };
  });
}

/** A statement that waits for the row has begun, and its database snapshot is fixed. */
async function untilOneWaits(tx: Executor): Promise<void> {
  for (let waiting = 0; waiting === 0;)
    waiting = (
      await tx.$queryRaw<
        object[]
      >`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
    ).length;
}

test("a run that somebody changed while the decision waited for it is claimed with that change", async () => {
  const bench = await open("reason: big");
  const runId = await bench.launch();
  const [, second] = await bench.pending(runId);
  const workerSlot = openWorkerSlot(bench);
  const at = bench.deps.now().toISOString();
  const { decided } = await decideMeanwhile(bench, runId, () => ({
    changes: [{ kind: "approval_expired", at, approvalId: second!.id, callId: second!.callId }],
    queue: { kind: "stay" },
    done: null,
  }));
  expect(await decided).toBe("approved");
  await expectAsRead(workerSlot.claims[0], runId);
  const { approvals } = workerSlot.claims[0]!.run.snapshot;
  expect([...approvals.values()].map(({ status }) => status)).toEqual(["approved", "expired"]);
  expect([workerSlot.left, bench.woken]).toEqual([0, []]);
});

test("a run that another worker claimed while the decision waited for it is woken and not claimed", async () => {
  const bench = await open("reason: big");
  const runId = await bench.launch();
  const workerSlot = openWorkerSlot(bench);
  const other = { owner: createId("worker"), leaseMs: LEASE_MS };
  const at = bench.deps.now();
  const { decided } = await decideMeanwhile(bench, runId, (run) => ({
    changes: [claimChange(run, other.owner, at)],
    queue: claimMove(other, null, at),
    done: null,
  }));
  expect(await decided).toBe("approved");
  expect(workerSlot).toMatchObject({ claims: [], left: 1 });
  expect(bench.woken).toEqual([runId]);
  expect(await database.db.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({
    status: "running",
    leaseOwner: other.owner,
  });
});
