/** Looks at the memory of hosted programs, all of a pool in one go, and says when one has more than it may. */
import { sumMemory } from "./process-table";
import { MEMORY_LOOK_INTERVAL_MS } from "./tool-limits";

export interface MemoryWatch {
  /** Calls `onExceeded` once. Returns what ends the watch. */
  watch(leader: number, limitBytes: number, onExceeded: (bytes: number) => void): () => void;
}

interface Watched {
  limitBytes: number;
  onExceeded: (bytes: number) => void;
}

export function createMemoryWatch(intervalMs = MEMORY_LOOK_INTERVAL_MS): MemoryWatch {
  const watched = new Map<number, Watched>();
  let timer: NodeJS.Timeout | null = null;

  async function look(): Promise<void> {
    const sums = await sumMemory(new Set(watched.keys()));
    for (const [leader, bytes] of sums) {
      const entry = watched.get(leader);
      if (!entry || bytes <= entry.limitBytes) continue;
      watched.delete(leader);
      entry.onExceeded(bytes);
    }
    timer = null;
    plan();
  }

  function plan(): void {
    if (timer !== null || watched.size === 0) return;
    timer = setTimeout(() => void look(), intervalMs);
    timer.unref();
  }

  return {
    watch(leader, limitBytes, onExceeded) {
      const entry = { limitBytes, onExceeded };
      watched.set(leader, entry);
      plan();
      return () => {
        if (watched.get(leader) === entry) watched.delete(leader);
      };
    },
  };
}
