import { engineDeps } from "@/lib/engine/deps";
import { log } from "@/lib/log";
import { listLiveEvents, type LiveEvent } from "@/lib/store/queries/list-live-events";

const POLL_MS = 700;
/** How far back each look goes: events become visible when their transaction commits, which can be after a later one's. */
const OVERLAP_MS = 6_000;
const LISTENERS_MAX = 500;
const LISTENERS_PER_PERSON_MAX = 12;

export type Listener = (event: LiveEvent) => void;

/** Reads the trail once for all open pages of this process, and only while there are any. */
class InboxHub {
  readonly #listeners = new Map<Listener, string>();
  #known = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  /** Null when this process, or this person, has too many lines open. */
  join(userId: string, listener: Listener): (() => void) | null {
    const own = [...this.#listeners.values()].filter((id) => id === userId).length;
    if (this.#listeners.size >= LISTENERS_MAX || own >= LISTENERS_PER_PERSON_MAX) return null;
    this.#listeners.set(listener, userId);
    if (this.#listeners.size === 1) void this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearTimeout(this.#timer);
    };
  }

  /** What happened before the first one listened is on their page already. */
  async #begin(): Promise<void> {
    this.#known = new Set((await this.#read()).map((event) => event.id));
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => void this.#look(), POLL_MS);
  }

  async #look(): Promise<void> {
    const events = await this.#read();
    for (const event of events) {
      if (!this.#known.has(event.id)) for (const listener of this.#listeners.keys()) listener(event);
    }
    if (events.length > 0) this.#known = new Set(events.map((event) => event.id));
    this.#schedule();
  }

  async #read(): Promise<LiveEvent[]> {
    const { db, now } = engineDeps();
    try {
      return await listLiveEvents(db, new Date(now().getTime() - OVERLAP_MS));
    } catch (error) {
      log.warn({ err: error }, "the live line could not read the trail; it tries again");
      return [];
    }
  }
}

// In development Next loads this anew after an edit; the open lines must stay with one hub.
const kept = globalThis as typeof globalThis & { __kimitsuInboxHub?: InboxHub };
export const inboxHub = (): InboxHub => (kept.__kimitsuInboxHub ??= new InboxHub());
