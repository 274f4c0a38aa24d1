/**
 * Makes the database read-only for a while, with runs held at every point they pass, and checks what became of the
 * runs.
 */
import { setTimeout as delay } from "node:timers/promises";
import { MOMENTS, type Moment } from "@/lib/testing/kill-points";
import type { PrivatePostgres } from "@/lib/testing/private-postgres";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { type RunEnd, StandingRuns } from "@/lib/testing/standing-runs";
import { twoCallsProject } from "@/lib/testing/two-calls";
import { type Fleet, openFleet } from "@/lib/testing/worker-process";

export class ReadOnlyBench {
  private constructor(
    readonly postgres: PrivatePostgres,
    readonly fleet: Fleet,
    readonly runs: StandingRuns,
  ) {}

  static async open(postgres: PrivatePostgres, workers: number): Promise<ReadOnlyBench> {
    const server = await startRecordingServer({});
    const fleet = await openFleet(postgres, twoCallsProject(server.url));
    const bench = new ReadOnlyBench(postgres, fleet, new StandingRuns(fleet, server, await fleet.person("Rea")));
    await Promise.all(
      Array.from({ length: workers }, () => fleet.startWorker({ KIMITSU_WORKERS: "64", DATABASE_POOL: "40" })),
    );
    return bench;
  }

  /** One run for each point of the phase, all held there when the database becomes read-only. */
  async round(phase: Moment[0], readOnlyMs: number): Promise<RunEnd[]> {
    const runs = await this.runs.start(
      MOMENTS.filter(([of]) => of === phase),
      String(readOnlyMs),
    );
    await this.postgres.setReadOnly(true);
    this.runs.release();
    await delay(readOnlyMs);
    await this.postgres.setReadOnly(false);
    return Promise.all(runs.map((run) => this.runs.seeEnd(run)));
  }

  /**
   * The tool has answered the call that a person approved, and the database is read-only until the worker has tried to
   * write the answer a number of times. The points are held, so that nothing depends on how long they last.
   */
  async refuseTries(tries: number): Promise<RunEnd> {
    const [run] = await this.runs.start([["after", "dispatch-call:before-result-commit"]], `tries-${tries}`);
    await this.postgres.setReadOnly(true);
    const writing = this.fleet.pauses.holdAt("write-run:before-commit", { subject: run!.runId });
    this.runs.release();
    for (let count = 1; count <= tries; count++) (await writing.reachedBy(count))[count - 1]!.release();
    await writing.reachedBy(tries + 1);
    await this.postgres.setReadOnly(false);
    writing.release();
    return this.runs.seeEnd(run!);
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.runs.server.close();
  }
}
