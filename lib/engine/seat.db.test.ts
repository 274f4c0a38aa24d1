/** A run that is claimed by the statement that gives it something to do is known to its worker as if it had been read afterwards. */
import { expect, test } from "vitest";
import type { ClaimOutcome } from "@/lib/store/transitions/claim-run";
import { loadRun, type RunSnapshot } from "@/lib/store/queries/load-run";
import { advanceRun } from "@/lib/engine/advance-run";
import { createId } from "@/lib/ids";
import { useDatabase } from "@/lib/testing/database";
import { type EngineBench, eventTypes, openEngineBench } from "@/lib/testing/engine-bench";
import { TEST_ACTOR } from "@/lib/testing/run-bench";
import { startRun } from "@/lib/engine/start-run";

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

/** A worker that has a place for every run, and does nothing with it. */
function seatIn({ deps, woken }: EngineBench): { claims: Extract<ClaimOutcome, { kind: "claimed" }>[]; left: number } {
  const seat = { claims: [] as Extract<ClaimOutcome, { kind: "claimed" }>[], left: 0 };
  const owner = createId("worker");
  woken.length = 0;
  deps.seat = () => ({ owner, take: (claim) => void (claim.kind === "claimed" && seat.claims.push(claim)), leave: async () => void seat.left++ });
  return seat;
}

const plain = ({ run, ...rows }: RunSnapshot) => ({ ...rows, run: { ...run, openSecrets: run.openSecrets() } });

async function expectAsRead(claim: Extract<ClaimOutcome, { kind: "claimed" }> | undefined, runId: string): Promise<void> {
  const row = await database.db.run.findUniqueOrThrow({ where: { id: runId } });
  expect(row).toMatchObject({ status: "running", leaseOwner: claim?.lease.owner, epoch: claim?.lease.epoch, wakes: claim?.wakes, wakeAt: null });
  expect(plain(claim!.snapshot!)).toEqual(plain(await loadRun(database.db, runId)));
}

const open = (rule: string) => openEngineBench(database, { script: SCRIPT, allowlist: `- name: t-none\n  require_approval: { ${rule} }`, workflow: WORKFLOW });

test("a start", async () => {
  const bench = await open("reason: big");
  const seat = seatIn(bench);
  const { runId } = await startRun(bench.deps, { workflow: "main", params: { key: "hush", note: "n" }, actor: TEST_ACTOR });
  await expectAsRead(seat.claims[0], runId);
  expect(seat.claims[0]!.snapshot!.run.openSecrets()).toEqual({ key: "hush" });
  expect(await eventTypes(database, runId)).toEqual(["run.created", "run.started"]);
  expect(bench.woken).toEqual([]);
});

test.each([
  { name: "an approval, while another call waits", verdict: "approved", wish: {} },
  { name: "a rejection, with its reason", verdict: "rejected", wish: { reason: "too much" } },
  { name: "an approval with other arguments", verdict: "approved", wish: { arguments: { n: 7 } } },
] as const)("$name", async ({ verdict, wish }) => {
  const bench = await open("on_reject: recover");
  const runId = await bench.launch();
  const [first, second] = await bench.pending(runId);
  const seat = seatIn(bench);
  await bench.decide(first!, verdict, wish);
  await expectAsRead(seat.claims[0], runId);
  expect((await eventTypes(database, runId)).slice(-2)).toEqual(["approval.decided", "run.resumed"]);
  // Another worker has the run now: the second decision wakes it and claims nothing.
  await bench.decide(second!, "approved");
  expect(seat).toMatchObject({ claims: [{}], left: 1 });
  expect(bench.woken).toEqual([runId]);
  await advanceRun(bench.deps, seat.claims[0]!.lease, { signal: new AbortController().signal, snapshot: seat.claims[0]!.snapshot });
  // What came after the claim is not missed: the run was parked with something to do.
  await bench.advance(runId);
  expect((await bench.read(runId)).status).toBe("complete");
});

test("the last of several that a rule wants, and no one before", async () => {
  const bench = await open("min_approvals: 2");
  const runId = await bench.launch();
  const [first, second] = await bench.pending(runId);
  const seat = seatIn(bench);
  await bench.decide(first!, "approved", { arguments: { n: 9 } });
  expect(seat).toMatchObject({ claims: [], left: 1 });
  const [edited] = await bench.pending(runId);
  await bench.decide(edited!, "approved");
  await expectAsRead(seat.claims[0], runId);
  expect(seat.claims[0]!.snapshot!.calls.map(({ status }) => status)).toEqual(["approved", "pending_approval"]);
  expect(second!.status).toBe("pending");
});

test("a run that changed while the decision waited for it is woken and not claimed", async () => {
  const bench = await open("reason: big");
  const runId = await bench.launch();
  const [first] = await bench.pending(runId);
  const seat = seatIn(bench);
  const decided = await database.db.$transaction(async (tx) => {
    await tx.$executeRaw`UPDATE runs SET wakes = wakes + 1 WHERE id = ${runId}`;
    const deciding = bench.decide(first!, "approved");
    // The statement has begun, and with it what it reads, when it waits for the row.
    for (let waiting = 0n; waiting === 0n; ) [{ waiting }] = (await tx.$queryRaw<{ waiting: bigint }[]>`SELECT count(*) AS waiting FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`) as [{ waiting: bigint }];
    return { deciding };
  });
  expect(await decided.deciding).toBe("approved");
  expect(seat).toMatchObject({ claims: [], left: 1 });
  expect(bench.woken).toEqual([runId]);
  expect(await database.db.run.findUniqueOrThrow({ where: { id: runId } })).toMatchObject({ status: "pending_approval", leaseOwner: null, wakes: 2, wakeAt: expect.any(Date) });
});
