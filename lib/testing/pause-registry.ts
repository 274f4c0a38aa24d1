/** Who holds which point, and who waits there; the same for points of this process and of others. */
import type { PausePoint } from "@/lib/pause";
import { HANG_MS } from "@/lib/testing/hang";

export interface Arrival {
  point: PausePoint;
  subject: string | undefined;
  pid: number;
}

/** One process (or one flow of this process) that waits at a held point. */
export interface Standing extends Arrival {
  /** Releases this one; the hold keeps catching others. */
  release(): void;
  /** Ends its process with SIGKILL at this point. Refused for the process of the test itself. */
  kill(): void;
}

export interface HoldOptions {
  /** Hold only flows that work on this run, call or approval. */
  subject?: string;
  /** Hold only this process. */
  pid?: number;
  /** Hold only the first n arrivals; the rest continue. Without it everyone is held. */
  first?: number;
}

export interface Hold {
  /** Resolves with the first arrival at the point. Rejects when nobody arrives, naming the points that were reached. */
  reached(timeoutMs?: number): Promise<Standing>;
  /** The same for several, in order of arrival. */
  reachedBy(count: number, timeoutMs?: number): Promise<Standing[]>;
  /** Ends the hold and releases everyone who waits there. */
  release(): void;
}

export class PauseRegistry {
  readonly #holds = new Set<PointHold>();
  readonly #trace: Arrival[] = [];

  hold(point: PausePoint, options: HoldOptions = {}): Hold {
    const hold = new PointHold(point, options, {
      trace: () => this.#trace,
      end: () => void this.#holds.delete(hold),
    });
    this.#holds.add(hold);
    return hold;
  }

  /** False when nobody holds the point for this arrival; `makeGo` is called only when somebody does. */
  arrive(arrival: Arrival, makeGo: () => () => void): boolean {
    this.#trace.push(arrival);
    for (const hold of this.#holds) {
      if (!hold.wants(arrival)) continue;
      hold.take(arrival, makeGo());
      return true;
    }
    return false;
  }

  trace(): Arrival[] {
    return [...this.#trace];
  }

  releaseAll(): void {
    for (const hold of this.#holds) hold.release();
    this.#trace.length = 0;
  }
}

class PointHold implements Hold {
  readonly #standings: Standing[] = [];
  readonly #goes = new Set<() => void>();
  readonly #watchers = new Set<() => void>();

  constructor(
    private readonly point: PausePoint,
    private readonly options: HoldOptions,
    private readonly registry: { trace(): readonly Arrival[]; end(): void },
  ) {}

  wants(arrival: Arrival): boolean {
    const { subject, pid, first } = this.options;
    if (arrival.point !== this.point) return false;
    if (subject !== undefined && arrival.subject !== subject) return false;
    if (pid !== undefined && arrival.pid !== pid) return false;
    return first === undefined || this.#standings.length < first;
  }

  take(arrival: Arrival, go: () => void): void {
    this.#goes.add(go);
    const release = () => {
      if (this.#goes.delete(go)) go();
    };
    this.#standings.push({ ...arrival, release, kill: () => killAt(arrival) });
    for (const watcher of this.#watchers) watcher();
  }

  async reached(timeoutMs?: number): Promise<Standing> {
    const [first] = await this.reachedBy(1, timeoutMs);
    return first!;
  }

  reachedBy(count: number, timeoutMs = HANG_MS): Promise<Standing[]> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer);
        this.#watchers.delete(check);
        settle();
      };
      const check = () => {
        if (this.#standings.length >= count) finish(() => resolve(this.#standings.slice(0, count)));
      };
      const timer = setTimeout(() => finish(() => reject(new Error(this.#describeMiss(count, timeoutMs)))), timeoutMs);
      this.#watchers.add(check);
      check();
    });
  }

  release(): void {
    this.registry.end();
    const goes = [...this.#goes];
    this.#goes.clear();
    for (const go of goes) go();
  }

  #describeMiss(count: number, timeoutMs: number): string {
    const reached = this.registry.trace().map(({ point, subject, pid }) => `  ${point} ${subject ?? ""} (pid ${pid})`);
    const wanted = `${this.point}${this.options.subject ? ` for ${this.options.subject}` : ""}`;
    return `${this.#standings.length} of ${count} stood at ${wanted} within ${timeoutMs} ms. Points reached:\n${reached.join("\n") || "  none"}`;
  }
}

function killAt({ pid, point }: Arrival): void {
  if (pid === process.pid)
    throw new Error(`${point} was reached by the test's own process; only child processes can be killed.`);
  process.kill(pid, "SIGKILL");
}
