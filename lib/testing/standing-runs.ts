/**
 * Runs with two calls, each held at its own point, so that something can happen to the database while all of them are
 * held.
 */
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import type { PausePoint } from "@/lib/pause";
import { listRunEvents } from "@/lib/runs/queries/list-run-events";
import type { Moment } from "@/lib/testing/kill-points";
import type { Hold, Standing } from "@/lib/testing/pause-registry";
import type { RecordingServer } from "@/lib/testing/recording-server";
import { ASKED_TOOL, countCalls, FREE_TOOL, seeToTheEnd, startTwoCalls } from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import type { Fleet } from "@/lib/testing/worker-process";

const TRAIL_MAX = 200;
/** A call whose newest event is one of these has not ended. */
const OPEN = ["call.approved", "call.executing", "call.not_sent", "call.outcome_unknown"];

export interface StandingRun {
  moment: Moment;
  runId: string;
  tag: string;
}

/** What the product and the tool server report of an ended run. */
export interface RunEnd {
  at: string;
  status: string;
  /** Calls that were begun and have no end on the trail. */
  open: string[];
  sentFree: number;
  sentAsked: number;
}

/** What every run must fulfil, whatever happened to the database. */
export const endedWell = (ends: RunEnd[]): RunEnd[] =>
  ends.map(({ at }) => ({ at, status: "complete", open: [], sentFree: 1, sentAsked: 1 }));

export class StandingRuns {
  readonly #decided = new Set<string>();
  readonly #holds = new Map<PausePoint, Hold>();

  constructor(
    readonly fleet: Fleet,
    readonly server: RecordingServer,
    readonly person: DecidedBy,
  ) {}

  /** Resolves when each run is held at its point. */
  async start(moments: readonly Moment[], round: string): Promise<StandingRun[]> {
    const places = [...new Set(moments.map(([, point]) => point))];
    for (const point of places) this.#holds.set(point, this.fleet.pauses.holdAt(point));
    const runs = await Promise.all(
      moments.map(async (moment) => {
        const tag = [...moment, round].join("-");
        return { moment, tag, ...(await startTwoCalls(this.fleet.deps, tag)) };
      }),
    );
    const standing = places.map((point) =>
      this.#stand(
        point,
        runs.filter(({ moment }) => moment[1] === point),
      ),
    );
    await Promise.all(runs.filter(({ moment: [phase] }) => phase === "after").map(({ runId }) => this.approve(runId)));
    await Promise.all(standing);
    return runs;
  }

  release(): void {
    for (const hold of this.#holds.values()) hold.release();
    this.#holds.clear();
  }

  /** Holds the first arrival of each run at the point in its phase; all others continue. */
  async #stand(point: PausePoint, runs: StandingRun[]): Promise<void> {
    const hold = this.#holds.get(point)!;
    const missing = new Set(runs);
    const all = Promise.withResolvers<void>();
    const judge = async (standing: Standing) => {
      const runId = await this.#runOf(standing);
      const run = [...missing].find(
        (each) => each.runId === runId && this.#decided.has(runId) === (each.moment[0] === "after"),
      );
      if (!run || !missing.delete(run)) return standing.release();
      if (missing.size === 0) all.resolve();
    };
    // Each by itself: one whose run is not known yet, because the write that shows it is held elsewhere, must not delay
    // the others.
    const follow = async () => {
      for (let count = 1; ; count += 1) void judge((await hold.reachedBy(count))[count - 1]!).catch(all.reject);
    };
    void follow().catch(all.reject);
    return all.promise;
  }

  /** A call may be about to be sent a moment before it is on record. */
  async #runOf({ subject = "" }: Standing): Promise<string> {
    if (subject.startsWith("run_")) return subject;
    const { db } = this.fleet.deps;
    const where = { where: { id: subject }, select: { runId: true } };
    const read = () => (subject.startsWith("call_") ? db.call.findUnique(where) : db.step.findUnique(where));
    return (await until(read, { what: `${subject} on record`, isDone: (row) => row !== null }))!.runId;
  }

  async approve(runId: string): Promise<void> {
    const { db } = this.fleet.deps;
    const read = () =>
      db.run.findUniqueOrThrow({
        where: { id: runId },
        select: { leaseOwner: true, approvals: { where: { status: "pending" }, select: { id: true } } },
      });
    const { approvals } = await until(read, {
      what: `run ${runId} waits for a person`,
      isDone: (run) => run.leaseOwner === null && run.approvals.length > 0,
    });
    this.#decided.add(runId);
    await decideApproval(this.fleet.deps, this.person, { approvalId: approvals[0]!.id, verdict: "approved" });
  }

  async seeEnd({ moment, runId, tag }: Pick<StandingRun, "moment" | "runId" | "tag">): Promise<RunEnd> {
    const { status } = await seeToTheEnd(this.fleet.deps, this.server, this.person, runId);
    const [sentFree, sentAsked] = [
      await countCalls(this.server, FREE_TOOL, tag),
      await countCalls(this.server, ASKED_TOOL, tag),
    ];
    return { at: moment.join(" the decision at "), status, open: await this.#listOpen(runId), sentFree, sentAsked };
  }

  async #listOpen(runId: string): Promise<string[]> {
    const { items } = await listRunEvents(this.fleet.deps.db, runId, { limit: TRAIL_MAX });
    const last = new Map(
      items.filter(({ type }) => type.startsWith("call.")).map(({ type, data }) => [String(data.call_id), type]),
    );
    return [...last].filter(([, type]) => OPEN.includes(type)).map(([id, type]) => `${id}: ${type}`);
  }
}
