/**
 * What one worker writes for one run, in order. A change takes effect in the worker's snapshot when it is made. Changes
 * that nothing outside waits for are deferred for a moment and committed with the next one as one journal row: the
 * result of a call with the following turn, the last turn with the end of the run. A crash in that moment is like a
 * crash a moment earlier: a person is asked about a call without a result, a turn without a record is requested again.
 * Nothing leaves this process before all deferred changes are on record, because the commit before a call goes through
 * here too.
 */
import { auditKeys } from "@/lib/database/audit-keys";
import type { Db } from "@/lib/database/client";
import type { Prisma } from "@/lib/database/generated/client";
import { pause } from "@/lib/pause";
import { retryCommit } from "@/lib/runs/journal/retry-commit";
import { applyChange, approvalsOf, type RunChange } from "@/lib/runs/changes/registry";
import { type Commit, type Lease, linkChanges, type QueueMove, writeCommit } from "@/lib/runs/journal/commit";
import { draftOf, type Touched } from "@/lib/runs/journal/draft";
import type { Entry } from "@/lib/runs/journal/entry";
import { foldOn, moveHead, RecordChanged } from "@/lib/runs/journal/fold";
import { type OpenRun, readNews } from "@/lib/runs/journal/open-run";
import { pausesOf } from "@/lib/runs/journal/pauses";
import { findChangedUnderLease } from "@/lib/runs/journal/run-columns";
import type { RunSnapshot } from "@/lib/runs/snapshot";

/** Thrown to unwind all work in progress: another process has the run, or it was ended. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** A deferred change is committed after this time even if no other change follows. */
const ALONE_AFTER_MS = 2;

/** `refused`: a guard does not hold, or the run is no longer as it was judged. The change was not made. */
export type WriteOutcome = "done" | "refused";

/** A change that may be refused: it takes effect when it is on record. */
export interface Tentative {
  /** Called at each try, to build the change from the current snapshot. */
  build: () => RunChange;
  /** The parts of the run that it changes, besides the run itself. */
  touches: Touched;
  queue?: QueueMove;
  guards?: Prisma.Sql[];
  /** Further rows written in the same commit. */
  also?: Prisma.Sql[];
  /** What must still hold of the run when it is committed: others may have been committed since it was queued. */
  fits?: () => boolean;
}

interface Waiting {
  change: RunChange;
  tentative: Tentative | null;
  resolve: (outcome: WriteOutcome) => void;
  reject: (error: unknown) => void;
}

interface Batch {
  /** Changes that have taken effect in the snapshot. */
  made: Waiting[];
  tentative: [Waiting] | null;
}

export interface WriterOptions {
  /** Called when others have changed the run; the snapshot already has it. */
  onNews: () => void;
}

export class RunWriter {
  readonly #queue: Waiting[] = [];
  #isWorking = false;
  #isHurried = false;
  #news: PromiseWithResolvers<void> | null = null;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  /** Failure of a change that nobody waited for; the next write throws it. */
  #failure: { error: unknown } | null = null;
  readonly #putOff = new Set<Promise<unknown>>();

  constructor(
    private readonly db: Db,
    readonly run: OpenRun,
    readonly lease: Lease,
    private readonly options: WriterOptions,
  ) {}

  /** Makes the change, and commits it after everything that was deferred. */
  async now(change: RunChange): Promise<void> {
    this.#throwFailure();
    const { before, after } = pausesOf(change);
    await before();
    this.#apply(change);
    await this.#put(change, { withinMs: 0 });
    await after();
    this.#throwFailure();
  }

  /** Commits a change that may be refused; until it is on record the snapshot does not have it. */
  async try(tentative: Tentative): Promise<WriteOutcome> {
    this.#throwFailure();
    const change = tentative.build();
    const { before, after } = pausesOf(change);
    await before();
    const outcome = await this.#put(change, { withinMs: 0, tentative });
    await after();
    this.#throwFailure();
    return outcome;
  }

  /** Makes the change, and defers its commit for at most this long. If it fails, the next write throws. */
  async later(change: RunChange, { withinMs = ALONE_AFTER_MS } = {}): Promise<void> {
    this.#throwFailure();
    const { before, after } = pausesOf(change);
    await before();
    this.#apply(change);
    const done: Promise<unknown> = this.#put(change, { withinMs })
      .then(after)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => this.#putOff.delete(done));
    this.#putOff.add(done);
    this.#throwFailure();
  }

  /** Commits what was deferred. */
  async flush(): Promise<void> {
    while (this.#putOff.size > 0) {
      this.#hurry();
      await Promise.all(this.#putOff);
    }
    this.#throwFailure();
  }

  /** Reads what others have changed. Concurrent callers share a read that has not begun yet. */
  catchUp(): Promise<void> {
    this.#news ??= Promise.withResolvers<void>();
    const { promise } = this.#news;
    void this.#work();
    return promise;
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  #apply(change: RunChange): void {
    applyChange(this.run.snapshot, change);
  }

  #put(change: RunChange, how: { withinMs: number; tentative?: Tentative }): Promise<WriteOutcome> {
    const { promise, resolve, reject } = Promise.withResolvers<WriteOutcome>();
    this.#queue.push({ change, tentative: how.tentative ?? null, resolve, reject });
    if (how.withinMs === 0) this.#hurry();
    else this.#hurryWithin(how.withinMs);
    return promise;
  }

  #hurryWithin(ms: number): void {
    const dueAt = performance.now() + ms;
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => this.#hurry(), ms);
  }

  #hurry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isHurried = true;
    void this.#work();
  }

  /** One commit at a time: what is queued meanwhile goes with the next one. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    while (this.#news || (this.#isHurried && this.#queue.length > 0)) {
      if (this.#news) await this.#readWanted(this.#news);
      else await this.#commitQueue();
    }
    this.#isWorking = false;
  }

  async #readWanted(wanted: PromiseWithResolvers<void>): Promise<void> {
    this.#news = null;
    try {
      await this.#readNews(null);
      wanted.resolve();
    } catch (error) {
      wanted.reject(error);
    }
  }

  async #commitQueue(): Promise<void> {
    this.#isHurried = false;
    const batch: Batch = { made: [], tentative: this.#takeTentative() };
    try {
      await this.#commit(batch);
      for (const { resolve } of [...batch.made, ...(batch.tentative ?? [])]) resolve("done");
    } catch (error) {
      // Later changes assume that it was written.
      this.#failure ??= { error };
      for (const { reject } of [...batch.made, ...(batch.tentative ?? [])]) reject(error);
    }
    if (this.#queue.some(({ tentative }) => tentative !== null)) this.#isHurried = true;
  }

  /** One per commit, because what comes after it may depend on its refusal. */
  #takeTentative(): [Waiting] | null {
    const place = this.#queue.findIndex(({ tentative }) => tentative !== null);
    return place === -1 ? null : (this.#queue.splice(place, 1) as [Waiting]);
  }

  /**
   * Changes already made are in the snapshot, and the run's row is written from the snapshot, so all of them must be in
   * the commit.
   */
  #takeMade(): Waiting[] {
    const made = this.#queue.filter(({ tentative }) => tentative === null);
    const rest = this.#queue.filter(({ tentative }) => tentative !== null);
    this.#queue.splice(0, this.#queue.length, ...rest);
    return made;
  }

  /** Tries until all of it is on record. A refused tentative change is removed and its caller gets the refusal. */
  async #commit(batch: Batch): Promise<void> {
    for (;;) {
      batch.made.push(...this.#takeMade());
      // Those who wait for one of these get the error; nothing stays queued for ever.
      if (this.#failure) throw this.#failure.error;
      if (batch.tentative?.[0].tentative?.fits?.() === false) {
        batch.tentative[0].resolve("refused");
        batch.tentative = null;
      }
      if (batch.made.length === 0 && !batch.tentative) return;
      const seen = this.run.head.seq;
      if (await this.#write(batch)) return;
      const isBehind = this.run.head.seq !== seen;
      const [tentative] = batch.tentative ?? [];
      if (isBehind) continue;
      if (!tentative) {
        throw new Error(`unreachable: a change of run ${this.lease.runId} was refused, and nothing came in between`);
      }
      batch.tentative = null;
      tentative.resolve("refused");
    }
  }

  async #write({ made, tentative: waiting }: Batch): Promise<boolean> {
    const tentative = waiting?.[0].tentative ?? null;
    const draft = tentative && draftOf(this.run.snapshot, tentative.touches);
    const tried = tentative?.build() ?? null;
    if (draft && tried) applyChange(draft, tried);
    const changes = [...made.map(({ change }) => change), ...(tried ? [tried] : [])];
    const commit = this.#commitOf(changes, draft ?? this.run.snapshot, tentative);
    const entry = linkChanges(commit);
    // The worker continues while this is written: its later changes are neither in this row nor on the run's.
    if (!draft) commit.run.snapshot = draftOf(this.run.snapshot, { approvals: changes.flatMap(approvalsOf) });
    const isWritten = await retryCommit(async () => {
      await pause("write-run:before-commit", this.lease.runId);
      return writeCommit(this.db, commit, entry);
    });
    await pause("write-run:after-commit", this.lease.runId);
    if (isWritten && entry) moveHead(this.run, entry);
    if (!isWritten && (await this.#readNews(entry)) !== "own") return false;
    // The snapshot may have changed since the draft was taken from it.
    if (tried) applyChange(this.run.snapshot, tried);
    return true;
  }

  #commitOf(changes: RunChange[], snapshot: RunSnapshot, tentative: Tentative | null): Commit {
    return {
      run: { ...this.run, snapshot },
      isDraft: tentative !== null,
      changes,
      lease: this.lease,
      queue: tentative?.queue ?? { kind: "stay" },
      // The row has the time of its last change, which need not repeat it.
      at: new Date(changes.at(-1)?.at ?? this.run.snapshot.run.updatedAt),
      ...(tentative?.guards && { guards: tentative.guards }),
      ...(tentative?.also && { also: tentative.also }),
    };
  }

  /** `own`: the first new row is the commit of which it was not known whether it was executed. */
  async #readNews(mine: Entry | null): Promise<"own" | "others" | "nothing"> {
    const news = await retryCommit(() => readNews(this.db, this.lease.runId, this.run.head));
    if (mine && news?.entries[0]?.hash.equals(mine.hash)) {
      moveHead(this.run, mine);
      return "own";
    }
    if (news?.row.leaseOwner !== this.lease.owner || news.row.epoch !== this.lease.epoch) {
      throw new LeaseLost("another process has this run now");
    }
    const changed = findChangedUnderLease(this.run.snapshot.run, news.row);
    if (changed) throw new RecordChanged(this.lease.runId, changed);
    if (news.entries.length === 0) return "nothing";
    foldOn(this.run, news.entries, auditKeys());
    this.options.onNews();
    return "others";
  }
}
