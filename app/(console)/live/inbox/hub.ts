import { engineDeps } from "@/lib/engine/deps";
import { log } from "@/lib/log";
import { type LiveEvent, lookAtEvents } from "@/lib/store/queries/list-live-events";
import { listLookers, type Looker } from "@/lib/store/queries/list-lookers";

const POLL_MS = 700;
/** How far back the first look goes, for those whose line broke while nobody else listened. */
const FIRST_LOOK_MS = 6_000;
/** How late an event may become visible and still be told: its transaction may have been open for long. */
const LATE_MS_MAX = 10 * 60_000;
/** Kept for lines that break and come back. */
const KNOWN_MAX = 2_000;

export interface Listener {
  /** What happened since the last time, oldest first: the same list for all who listen. */
  onEvents: (events: readonly LiveEvent[]) => void;
  /** The last id that was heard on a line that broke: what came after it is told at once, as far back as is known. */
  after?: string;
  /** All who have a card open, now and after every change. */
  onLookers?: (lookers: readonly Looker[]) => void;
}

/** Reads the trail, and who looks at what, once for all open pages of this process, and only while there are any. */
class InboxHub {
  readonly #listeners = new Set<Listener>();
  #known: readonly LiveEvent[] = [];
  #lookers: readonly Looker[] = [];
  /** What the last look could see; null before the first. */
  #snapshot: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  join(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) void this.#begin();
    else this.#catchUp(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearTimeout(this.#timer);
    };
  }

  /** What happened before the first one listened is on their page already. */
  async #begin(): Promise<void> {
    this.#snapshot = null;
    const { events, lookers } = await this.#read();
    this.#known = events;
    this.#lookers = lookers;
    for (const listener of this.#listeners) this.#catchUp(listener);
    this.#schedule();
  }

  #catchUp({ after, onEvents, onLookers }: Listener): void {
    const since = after === undefined ? [] : this.#known.filter((event) => event.id > after);
    if (since.length > 0) onEvents(since);
    onLookers?.(this.#lookers);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => void this.#look(), POLL_MS);
  }

  async #look(): Promise<void> {
    const { events, lookers } = await this.#read();
    if (events.length > 0) {
      this.#known = [...this.#known, ...events].slice(-KNOWN_MAX);
      for (const { onEvents } of this.#listeners) onEvents(events);
    }
    if (JSON.stringify(lookers) !== JSON.stringify(this.#lookers)) {
      this.#lookers = lookers;
      for (const { onLookers } of this.#listeners) onLookers?.(lookers);
    }
    this.#schedule();
  }

  async #read(): Promise<{ events: LiveEvent[]; lookers: readonly Looker[] }> {
    const { db, now } = engineDeps();
    const clock = now();
    try {
      const since = new Date(clock.getTime() - (this.#snapshot === null ? FIRST_LOOK_MS : LATE_MS_MAX));
      const [look, lookers] = await Promise.all([lookAtEvents(db, { snapshot: this.#snapshot, since }), listLookers(db, clock)]);
      this.#snapshot = look.snapshot;
      return { events: look.events, lookers };
    } catch (error) {
      log.warn({ err: error }, "the live line could not read the trail; it tries again");
      return { events: [], lookers: this.#lookers };
    }
  }
}

// In development Next loads this anew after an edit; the open lines must stay with one hub.
const kept = globalThis as typeof globalThis & { __kimitsuInboxHub?: InboxHub };
export const inboxHub = (): InboxHub => (kept.__kimitsuInboxHub ??= new InboxHub());
