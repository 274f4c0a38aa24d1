/**
 * Kills workers at named points of a run with two calls, one run after the other, and checks that all ends as if nobody
 * had died.
 */
import type { DecidedBy } from "@/lib/approvals/decide-approval";
import type { PausePoint } from "@/lib/pause";
import type { TestDatabase } from "@/lib/testing/database";
import type { Hold, Standing } from "@/lib/testing/pause-registry";
import { type RecordingServer, startRecordingServer } from "@/lib/testing/recording-server";
import {
  ASKED_TOOL,
  countCalls,
  FREE_TOOL,
  seeToTheEnd,
  startTwoCalls,
  twoCallsProject,
} from "@/lib/testing/two-calls";
import { until } from "@/lib/testing/until";
import { type Fleet, openFleet, type WorkerProcess } from "@/lib/testing/worker-process";

/** The first time that the point is passed before, or after, the person's decision. */
export type Moment = readonly [phase: "before" | "after", point: PausePoint];

const TURN = ["before-call", "after-call", "before-result-commit", "after-result-commit"].map(
  (moment) => `model-turn:${moment}` as PausePoint,
);
const SENDING = [
  "before-executing-commit",
  "after-executing-commit",
  "before-call",
  "after-call",
  "before-result-commit",
  "after-result-commit",
].map((moment) => `dispatch-call:${moment}` as PausePoint);
const commit = (name: string) => [`${name}:before-commit`, `${name}:after-commit`] as PausePoint[];

/**
 * All points that the run passes in a worker. The first step's start and the last one's end are written together with
 * other changes.
 */
export const MOMENTS: Moment[] = [
  ...[...commit("claim-run"), ...TURN, ...SENDING, ...commit("write-run"), ...commit("park-run")].map(
    (point): Moment => ["before", point],
  ),
  ...[
    ...commit("claim-run"),
    ...SENDING,
    ...TURN,
    ...commit("write-run"),
    ...commit("settle-step"),
    ...commit("settle-run"),
  ].map((point): Moment => ["after", point]),
];

/** Between these the model was asked and its turn is not recorded yet, so it is correctly asked once more. */
export const UNRECORDED: readonly PausePoint[] = [
  "model-turn:before-call",
  "model-turn:after-call",
  "model-turn:before-result-commit",
];

/**
 * The turn is deferred to be committed together with the next write, or is being requested while a result is committed
 * without it; it depends on chance whether the kill comes first.
 */
export const PERHAPS_UNRECORDED: readonly PausePoint[] = [
  ...commit("write-run"),
  "dispatch-call:after-result-commit",
  "settle-step:before-commit",
  "settle-run:before-commit",
];

export class KillBench {
  readonly #workers = new Map<number, WorkerProcess>();
  #starting: Promise<void>[] = [];

  private constructor(
    readonly fleet: Fleet,
    readonly server: RecordingServer,
    readonly person: DecidedBy,
  ) {}

  static async open(database: TestDatabase, workers: number): Promise<KillBench> {
    const server = await startRecordingServer({});
    const fleet = await openFleet(database, twoCallsProject(server.url));
    const bench = new KillBench(fleet, server, await fleet.person("Rea"));
    for (let count = 0; count < workers; count++) bench.#startWorker();
    await Promise.all(bench.#starting);
    return bench;
  }

  #startWorker(): void {
    this.#starting.push(this.fleet.startWorker().then((worker) => void this.#workers.set(worker.pid, worker)));
  }

  /** The points that a run passes when nobody dies. */
  async passUndisturbed(tag: string): Promise<PausePoint[]> {
    const { runId } = await startTwoCalls(this.fleet.deps, tag);
    await seeToTheEnd(this.fleet.deps, this.server, this.person, runId);
    const subjects = await this.#subjectsOf(runId);
    // Others see the end of the run a moment before its worker reaches the point after that commit.
    return until(async () => this.#passed(subjects), {
      what: "the last moment",
      isDone: (passed) => passed.includes("settle-run:after-commit"),
    });
  }

  /** Kills the worker at the point, drives the run to its end, and returns the result. */
  async killAt([phase, point]: Moment, tag: string) {
    const { deps } = this.fleet;
    const hold = this.fleet.pauses.holdAt(point);
    const { runId } = await startTwoCalls(deps, tag);
    const killed = this.#killAt(hold, phase, point, runId).finally(() => hold.release());
    // Where the worker must die before the decision, the person waits for that.
    if (phase === "before") await killed;
    const [, { status, output }] = await Promise.all([killed, seeToTheEnd(deps, this.server, this.person, runId)]);
    return {
      status,
      output,
      sentFree: await countCalls(this.server, FREE_TOOL, tag),
      sentAsked: await countCalls(this.server, ASKED_TOOL, tag),
      turnsRecorded: await deps.db.turn.count({ where: { runId } }),
      turnsAsked: this.#passed(await this.#subjectsOf(runId)).filter((passed) => passed === "model-turn:before-call")
        .length,
    };
  }

  async #killAt(hold: Hold, phase: Moment[0], point: PausePoint, runId: string): Promise<void> {
    for (let count = 1; ; count++) {
      const standing = (await hold.reachedBy(count))[count - 1]!;
      if (await this.#isMeant(standing, phase, point, runId)) {
        standing.kill();
        this.#workers.delete(standing.pid);
        return this.#startWorker();
      }
      standing.release();
    }
  }

  async #isMeant({ subject, pid }: Standing, phase: Moment[0], point: PausePoint, runId: string): Promise<boolean> {
    if (!(await this.#isOf(subject, runId))) return false;
    const { leaseOwner } = await this.fleet.deps.db.run.findUniqueOrThrow({ where: { id: runId } });
    const decided = await this.fleet.deps.db.approval.count({ where: { runId, status: "approved" } });
    // Several workers try to claim; killing one that lost proves nothing.
    if (point === "claim-run:after-commit" && this.#workers.get(pid)?.ownerId !== leaseOwner) return false;
    return decided === (phase === "after" ? 1 : 0);
  }

  /**
   * A call may be about to be sent a moment before it is recorded; the worker held here has deferred that, and does it
   * now.
   */
  async #isOf(subject: string | undefined, runId: string): Promise<boolean> {
    if (subject?.startsWith("call_"))
      await until(() => this.fleet.deps.db.call.count({ where: { id: subject } }), {
        what: `call ${subject} on record`,
        isDone: (count) => count > 0,
      });
    return (await this.#subjectsOf(runId)).has(subject ?? "");
  }

  /** Subjects that points name when this run passes them: itself, its step and its calls. */
  async #subjectsOf(runId: string): Promise<Set<string>> {
    const run = await this.fleet.deps.db.run.findUniqueOrThrow({
      where: { id: runId },
      select: { steps: { select: { id: true } }, calls: { select: { id: true } } },
    });
    return new Set([runId, ...run.steps.map(({ id }) => id), ...run.calls.map(({ id }) => id)]);
  }

  #passed(subjects: ReadonlySet<string>): PausePoint[] {
    return this.fleet.pauses
      .trace()
      .filter(({ subject }) => subjects.has(subject ?? ""))
      .map(({ point }) => point);
  }

  async close(): Promise<void> {
    await Promise.all(this.#starting);
    await this.fleet.close();
    await this.server.close();
  }
}
