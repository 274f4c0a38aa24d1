/**
 * What one worker writes for one run, in order. Writes that nothing outside waits for are put off for a moment and go with the next one in
 * one commit: the result of a call with the turn that follows upon it, a turn with the calls that begin after it, the last turn with the
 * end of the run. A crash in that moment finds what it would have found a moment earlier: a call without a result is asked about, a turn
 * without a record is taken again. Nothing leaves this process before all that was put off is on record: the commit before a call goes
 * through here too.
 */
import { insist } from "@/lib/engine/advance/insist";
import { held } from "@/lib/engine/advance/run-memory";
import { commitTogether, type Db } from "@/lib/store/client";
import { isDatabaseAway } from "@/lib/store/database-away";
import type { LeaseOutcome } from "@/lib/store/lease-sql";
import { openRunLine, type RunLine, type RunPiece } from "@/lib/store/run-line";
import { joinPieces } from "@/lib/store/transitions/join-pieces";
import { pause } from "@/lib/pause";

/** So soon is a write on record although no other has come. */
const ALONE_AFTER_MS = 2;

interface Waiting {
  piece: RunPiece;
  /** What was done outside stands behind it: it is tried again when the database is away. */
  insists: boolean;
  resolve: (rows: unknown[]) => void;
  reject: (error: unknown) => void;
}

type Write<T> = (line: RunLine) => Promise<T>;

export class RunWrites {
  #line: Waiting[] = [];
  #isSending = false;
  #isHurried = false;
  #timer: NodeJS.Timeout | undefined;
  /** Writes that nobody waits for; none of them fails, they leave word in `#failure`. */
  readonly #putOff = new Set<Promise<void>>();
  /** Of a write that nobody waited for; the next one to write gets it. */
  #failure: { error: unknown } | null = null;

  constructor(
    private readonly db: Db,
    private readonly runId: string,
  ) {}

  /** Commits it, after everything that was put off. */
  async now<T>(write: Write<T>, { insists = false } = {}): Promise<T> {
    this.#throwFailure();
    const before = [...this.#putOff];
    const done = await write(this.#gather(insists, () => this.#hurry()));
    // They were committed with it; whether they were refused is known a moment later.
    await Promise.all(before);
    this.#throwFailure();
    return done;
  }

  /** Puts it off, and resolves when its place in the order is taken. That it is refused, or fails, is told to whoever writes next. */
  async later(write: Write<LeaseOutcome>): Promise<void> {
    this.#throwFailure();
    const { promise: isInLine, resolve } = Promise.withResolvers<void>();
    const onInLine = () => {
      this.#timer ??= setTimeout(() => this.#hurry(), ALONE_AFTER_MS);
      resolve();
    };
    const done = write(this.#gather(true, onInLine))
      .then(held)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => {
        this.#putOff.delete(done);
        resolve();
      });
    this.#putOff.add(done);
    await isInLine;
    this.#throwFailure();
  }

  /** Commits what was put off. */
  async flush(): Promise<void> {
    while (this.#putOff.size > 0) {
      this.#hurry();
      await Promise.all(this.#putOff);
    }
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) throw this.#failure.error;
  }

  /** A database that takes pieces into the line. */
  #gather(insists: boolean, onInLine: () => void): RunLine {
    return openRunLine((piece) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
      this.#line.push({ piece, insists, resolve, reject });
      onInLine();
      return promise;
    });
  }

  #hurry(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isHurried = true;
    if (!this.#isSending) void this.#send();
  }

  /** One commit at a time; what is put in line meanwhile goes with the next. */
  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#isHurried && this.#line.length > 0) {
      this.#isHurried = false;
      const batch = this.#line.splice(0);
      if (!(await this.#commit(batch))) for (const each of batch) await this.#commit([each]);
    }
    this.#isSending = false;
  }

  /** False when it failed for a reason that may lie in one of several: then none has happened, and each is tried by itself. */
  async #commit(batch: Waiting[]): Promise<boolean> {
    const joined = joinPieces(batch.map(({ piece }) => piece));
    const commit = async () => {
      await pause("write-run:before-commit", this.runId);
      return commitTogether(this.db, joined.map(({ statement }) => statement));
    };
    try {
      const rows = await (batch.some(({ insists }) => insists) ? insist(commit) : commit());
      await pause("write-run:after-commit", this.runId);
      const answers = joined.flatMap((each, place) => each.answers(rows[place]!));
      for (const [place, { resolve }] of batch.entries()) resolve(answers[place]!);
    } catch (error) {
      if (batch.length > 1 && !isDatabaseAway(error)) return false;
      for (const { reject } of batch) reject(error);
    }
    return true;
  }
}
