/**
 * A random walk over everything that people, time and failing processes can do to runs. The recording server's log
 * decides: what it received must have been granted, at most once, and be what was shown. A failure prints the seed;
 * KIMITSU_TEST_SEED replays it.
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { SYSTEM_ACTOR } from "@/lib/people/rules/actor";
import { digestArguments } from "@/lib/text/digest";
import { LEASE_MS } from "@/lib/limits";
import { isCallSettled } from "@/lib/runs/rules/call-state";
import { cancelRun } from "@/lib/runs/cancel-run";
import { settleCall } from "@/lib/runs/settle-call";
import { setUserDisabled } from "@/lib/people/set-user-disabled";
import { verifyAudit } from "@/lib/audit/verify-audit";
import { KimitsuError } from "@/lib/errors";
import type { PausePoint } from "@/lib/pause";
import { useDatabase } from "@/lib/testing/database";
import { type EngineBench, listUnrecordedEnds, openEngineBench } from "@/lib/testing/engine-bench";
import { holdAt, releaseAll } from "@/lib/testing/pause-points";
import { CALL_ID_META_KEY } from "@/lib/tools/call-tool";
import { sweepTimers } from "@/lib/runs/worker/sweep-timers";

const database = useDatabase();
const SEED = Number(process.env.KIMITSU_TEST_SEED ?? Date.now() % 1_000_000);
const WALKS = Number(process.env.KIMITSU_TEST_WALKS ?? 12);

const SCRIPT = `agents:
  worker:
    turns:
      - call: [{ tool: t-none, arguments: { n: 1 } }, { tool: t-ro1-de0-id1-ow0, arguments: { n: 2 } }, { tool: t-none, arguments: { n: 3 } }]
      - call: [{ tool: t-none, arguments: { n: 4 } }, { tool: t-none, arguments: { n: 1 } }]
    otherwise: { output: { done: true } }
`;
const ALLOWLIST =
  "- t-ro1-de0-id1-ow0\n- name: t-none\n  require_approval: { on_reject: recover, timeout: 10m, timeout_behavior: reject, min_approvals: 1 }";

/** Where a process can die while it advances a run; the worker is held there for good and another takes over. */
const DEATHS: PausePoint[] = [
  "model-turn:before-call",
  "model-turn:after-call",
  "model-turn:after-result-commit",
  "dispatch-call:before-executing-commit",
  "dispatch-call:after-executing-commit",
  "dispatch-call:after-call",
  "dispatch-call:after-result-commit",
  "settle-step:before-commit",
  "park-run:before-commit",
  "settle-run:before-commit",
];

const moveArbitrary = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("advance" as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("crash" as const), at: fc.constantFrom(...DEATHS) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("decide" as const),
      which: fc.nat(3),
      verdict: fc.constantFrom("approved" as const, "approved" as const, "rejected" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("edit" as const), which: fc.nat(3), n: fc.integer({ min: 100, max: 200 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("expire" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("revoke" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("settle" as const),
      outcome: fc.constantFrom("happened" as const, "did_not_happen" as const, "failed" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const) }) },
);
type Move = typeof moveArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

/** A move that the state does not allow is refused with a message, and changes nothing. */
const refusable = (work: Promise<unknown>) =>
  work.catch((error: unknown) => {
    if (!(error instanceof KimitsuError) && !/nothing to do/.test((error as Error).message)) throw error;
  });

class Walk {
  readonly #dead: Promise<unknown>[] = [];
  constructor(
    readonly bench: EngineBench,
    readonly runId: string,
  ) {}

  async take(move: Move): Promise<void> {
    const { bench, runId } = this;
    const pending = await bench.pending(runId);
    switch (move.do) {
      case "advance":
        return void (await refusable(bench.advance(runId)));
      case "crash":
        return this.#crash(move.at);
      case "decide":
        return void (
          pending.length > 0 && (await refusable(bench.decide(pending[move.which % pending.length]!, move.verdict)))
        );
      case "edit":
        return void (
          pending.length > 0 &&
          (await refusable(
            bench.decide(pending[move.which % pending.length]!, "approved", { arguments: { n: move.n } }),
          ))
        );
      case "expire":
        bench.clock.advance(10 * 60_000);
        return sweepTimers(bench.deps, () => undefined);
      case "revoke":
        return this.#revoke();
      case "settle":
        return this.#settle(move.outcome);
      case "cancel":
        return void (await refusable(cancelRun(bench.deps, SYSTEM_ACTOR, { runId })));
    }
  }

  /** The worker runs up to the point and stops there for too long; what it does later must change nothing. */
  async #crash(at: PausePoint): Promise<void> {
    const held = holdAt(at, { first: 1 });
    const driven = await this.bench.drive(this.runId).catch(() => null);
    if (!driven) return held.release();
    const ended = driven.ended.catch((error: unknown) => error);
    await Promise.race([held.reached().catch(() => null), ended]);
    this.bench.clock.advance(LEASE_MS + 1);
    this.#dead.push(ended);
    const row = await this.bench.read(this.runId);
    if (row.leaseOwner !== null) await refusable(this.bench.advance(this.runId));
    held.release();
    await ended;
  }

  async #revoke(): Promise<void> {
    const open = await database.db.call.findMany({
      where: { runId: this.runId, status: "approved" },
      select: { id: true },
    });
    const decision = await database.db.decision.findFirst({
      where: { verdict: "approved", approval: { callId: { in: open.map(({ id }) => id) } } },
    });
    if (!decision) return;
    // A separate moment, so that the trail shows what came before it and what after.
    this.bench.clock.advance(1);
    await setUserDisabled(this.bench.deps, SYSTEM_ACTOR, { userId: decision.userId, disabled: true });
    this.bench.clock.advance(1);
  }

  async #settle(outcome: "happened" | "did_not_happen" | "failed"): Promise<void> {
    const call = await database.db.call.findFirst({ where: { runId: this.runId, status: "outcome_unknown" } });
    if (call) await refusable(settleCall(this.bench.deps, SYSTEM_ACTOR, { callId: call.id, outcome }));
  }

  /** Brings it to its end as people would: everything that waits is decided or settled. */
  async finish(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      this.bench.clock.advance(LEASE_MS + 1);
      await refusable(this.bench.advance(this.runId));
      for (const approval of await this.bench.pending(this.runId))
        await refusable(this.bench.decide(approval, "approved"));
      await this.#settle("failed");
      if (["complete", "failed", "cancelled"].includes((await this.bench.read(this.runId)).status)) break;
    }
    await Promise.all(this.#dead);
  }
}

/** Grants of a call: what people approved, or one by the policy, and one more for each "it did not happen, run it". */
async function judge(bench: EngineBench, runId: string): Promise<void> {
  const run = await bench.read(runId);
  expect(["complete", "failed", "cancelled"]).toContain(run.status);
  expect(await listUnrecordedEnds(database, runId)).toEqual([]);
  const events = await database.db.event.findMany({
    where: { chainId: runId },
    orderBy: [{ seq: "asc" }, { place: "asc" }],
  });
  const disabledAt = new Map(
    (await database.db.user.findMany({ where: { disabledAt: { not: null } } })).map((user) => [
      user.id,
      user.disabledAt as Date,
    ]),
  );
  const facts = events.map((event) => ({
    type: event.type,
    at: event.at,
    data: event.data as Record<string, unknown>,
  }));
  const received = await bench.recorder.calls();
  for (const call of run.calls) {
    const own = facts.filter(({ data }) => data.call_id === call.id);
    const sent = received.filter(
      (entry) => (entry.meta as Record<string, unknown> | null)?.[CALL_ID_META_KEY] === call.id,
    );
    const isAsked = call.approvals.length > 0;
    const grants = isAsked
      ? call.approvals.filter((approval) => approval.status === "approved").length
      : call.status === "denied" || call.status === "rejected"
        ? 0
        : 1;
    const sentAgain = own.filter(({ type, data }) => type === "call.settled" && data.to === "approved").length;
    if (!call.retrySafe)
      expect(sent.length, `${call.tool} ${call.id} was sent more often than granted`).toBeLessThanOrEqual(
        grants + sentAgain,
      );
    // The arguments that people approved for this call, as the sealed events of their decisions keep them.
    const approved = own.filter(({ type, data }) => type === "approval.decided" && data.verdict === "approved");
    const shown = isAsked ? approved.map(({ data }) => data.arguments_digest) : [call.digest];
    for (const entry of sent) expect(shown).toContain(digestArguments(entry.arguments));
    // Whenever it was sent, someone who had approved exactly this could still decide.
    for (const { at, data } of isAsked ? own.filter(({ type }) => type === "call.executing") : []) {
      const standing = approved.filter(
        (said) =>
          said.data.arguments_digest === data.digest &&
          said.at <= at &&
          (disabledAt.get(String(said.data.user_id)) ?? new Date(8.64e15)) > at,
      );
      expect(standing.length, `${call.id} was sent on the word of someone who was shut out`).toBeGreaterThan(0);
    }
    if (["rejected", "expired", "denied", "cancelled"].includes(call.status))
      expect(sent.length, `${call.status} and sent`).toBe(0);
    if (call.status === "succeeded")
      expect(sent.length + own.filter(({ type }) => type === "call.settled").length).toBeGreaterThan(0);
    expect(
      isCallSettled(call.status) || (run.status === "cancelled" && call.status === "outcome_unknown"),
      `${call.id} is ${call.status}`,
    ).toBe(true);
    // One result: as many ends as the call had, and never two from the server.
    expect(own.filter(({ type }) => type === "call.succeeded" || type === "call.failed").length).toBeLessThanOrEqual(1);
  }
}

test(
  verifies(
    "engine:walk",
    verifies(
      "promise:8",
      `no walk sends more than was granted or anything but what was shown, and the trail verifies (seed ${SEED})`,
    ),
  ),
  async () => {
    const bench = await openEngineBench(database, { script: SCRIPT, allowlist: ALLOWLIST });
    await bench.person("admin");
    await fc.assert(
      fc.asyncProperty(fc.array(moveArbitrary, { minLength: 4, maxLength: 14 }), async (moves) => {
        await bench.recorder.reset();
        const walk = new Walk(bench, await bench.start());
        try {
          for (const move of moves) await walk.take(move);
          await walk.finish();
        } finally {
          releaseAll();
        }
        await judge(bench, walk.runId);
      }),
      { seed: SEED, numRuns: WALKS, endOnFailure: true },
    );
    expect(await verifyAudit(bench.deps)).toMatchObject({ ok: true });
  },
);
