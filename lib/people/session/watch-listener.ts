/**
 * Ends streams of those who may no longer listen: a disabled person, a session that was signed out, a token that has
 * ended. One statement checks all open streams of the process, and only while there are any.
 */
import type { Principal } from "@/lib/people/session/principal";
import { LISTENER_CHECK_INTERVAL_MS } from "@/lib/limits";
import { log } from "@/lib/log";
import type { Db } from "@/lib/database/client";
import { listLiveListeners } from "@/lib/people/queries/list-live-listeners";

interface Watched {
  principal: Principal;
  end: () => void;
}

class ListenerWatch {
  readonly #watched = new Set<Watched>();
  #timer: NodeJS.Timeout | undefined;

  add(watched: Watched, deps: WatchDeps): () => void {
    this.#watched.add(watched);
    if (this.#watched.size === 1) this.#schedule(deps);
    return () => {
      this.#watched.delete(watched);
      if (this.#watched.size === 0) clearTimeout(this.#timer);
    };
  }

  #schedule(deps: WatchDeps): void {
    clearTimeout(this.#timer);
    if (this.#watched.size > 0) this.#timer = setTimeout(() => void this.#look(deps), LISTENER_CHECK_INTERVAL_MS);
  }

  async #look(deps: WatchDeps): Promise<void> {
    const all = [...this.#watched];
    try {
      const asked = all.map(({ principal: { user, session, token } }) => ({
        userId: user.id,
        role: user.role,
        session,
        tokenId: token?.id,
      }));
      const live = new Set(await listLiveListeners(deps.db, asked, deps.now()));
      all.filter((_watched, place) => !live.has(place)).forEach(({ end }) => end());
    } catch (error) {
      log.warn({ err: error }, "it could not be read who may still listen; it is tried again");
    }
    this.#schedule(deps);
  }
}

export interface WatchDeps {
  db: Db;
  now: () => Date;
}

// One instance for all bundles of the process.
const kept = globalThis as typeof globalThis & { __kimitsuListeners?: ListenerWatch };

/** Calls `end` once this principal may no longer listen; returns a function that stops watching. */
export function watchListener(deps: WatchDeps, principal: Principal, end: () => void): () => void {
  return (kept.__kimitsuListeners ??= new ListenerWatch()).add({ principal, end }, deps);
}
