import { engineDeps } from "@/lib/database/deps";
import { log } from "@/lib/log";
import { eventIdAt, type LiveEvent, lookAtEvents } from "@/lib/approvals/queries/list-live-events";
import { listViewers, type CardViewer } from "@/lib/approvals/queries/list-viewers";

const POLL_MS = 700;
/** How far back the first read goes, for those whose connection broke while nobody else listened. */
const FIRST_LOOK_MS = 6_000;
/** How late an event may become visible and still be sent: its transaction may have been open for long. */
const LATE_MS_MAX = 10 * 60_000;
/** Kept for connections that break and reopen. */
const KNOWN_MAX = 2_000;

export interface Listener {
  /** What happened since the last read, oldest first: the same list for all listeners. */
  onEvents: (events: readonly LiveEvent[]) => void;
  /** What came after this id is sent at once: the last event of a broken connection, or of the page's reading. */
  after?: string;
  /** Something may have happened after that id that is no longer known. */
  onBehind?: () => void;
  /** All who have a card open, now and after every change. */
  onViewers?: (viewers: readonly CardViewer[]) => void;
}

/** Reads the trail, and who views what, once for all open pages of this process, and only while there are any. */
class InboxHub {
  /** Each with the lowest id of what is sent to it at first. */
  readonly #listeners = new Map<Listener, string>();
  #known: readonly LiveEvent[] = [];
  /** Everything after this id is in `#known`. */
  #knownAfter = "";
  #viewers: readonly CardViewer[] = [];
  /** What the last read could see; null before the first. */
  #snapshot: string | null = null;
  #timer: NodeJS.Timeout | undefined;

  join(listener: Listener): () => void {
    this.#listeners.set(listener, listener.after ?? eventIdAt(engineDeps().now()));
    if (this.#listeners.size === 1) void this.#begin();
    else this.#catchUp(listener);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) clearTimeout(this.#timer);
    };
  }

  /**
   * What happened before somebody listened is on their page already; what happened since, during the first read, is
   * not.
   */
  async #begin(): Promise<void> {
    this.#snapshot = null;
    const { events, viewers } = await this.#read();
    this.#known = events;
    this.#viewers = viewers;
    for (const listener of this.#listeners.keys()) this.#catchUp(listener);
    this.#schedule();
  }

  #catchUp(listener: Listener): void {
    const after = this.#listeners.get(listener) ?? "";
    if (after < this.#knownAfter) listener.onBehind?.();
    const since = this.#known.filter((event) => event.id > after);
    if (since.length > 0) listener.onEvents(since);
    listener.onViewers?.(this.#viewers);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#listeners.size > 0) this.#timer = setTimeout(() => void this.#look(), POLL_MS);
  }

  async #look(): Promise<void> {
    const { events, viewers } = await this.#read();
    if (events.length > 0) {
      const known = [...this.#known, ...events];
      this.#knownAfter = known.at(-KNOWN_MAX - 1)?.id ?? this.#knownAfter;
      this.#known = known.slice(-KNOWN_MAX);
      for (const { onEvents } of this.#listeners.keys()) onEvents(events);
    }
    if (JSON.stringify(viewers) !== JSON.stringify(this.#viewers)) {
      this.#viewers = viewers;
      for (const { onViewers } of this.#listeners.keys()) onViewers?.(viewers);
    }
    this.#schedule();
  }

  async #read(): Promise<{ events: LiveEvent[]; viewers: readonly CardViewer[] }> {
    const { db, now } = engineDeps();
    const clock = now();
    try {
      const since = eventIdAt(new Date(clock.getTime() - (this.#snapshot === null ? FIRST_LOOK_MS : LATE_MS_MAX)));
      if (this.#snapshot === null) this.#knownAfter = since;
      const [look, viewers] = await Promise.all([
        lookAtEvents(db, { snapshot: this.#snapshot, since }),
        listViewers(db, clock),
      ]);
      this.#snapshot = look.snapshot;
      return { events: look.events, viewers };
    } catch (error) {
      log.warn({ err: error }, "the live line could not read the trail; it tries again");
      return { events: [], viewers: this.#viewers };
    }
  }
}

// In development Next reloads this module after an edit; the open connections must stay with one hub.
const kept = globalThis as typeof globalThis & { __kimitsuInboxHub?: InboxHub };
export const inboxHub = (): InboxHub => (kept.__kimitsuInboxHub ??= new InboxHub());
