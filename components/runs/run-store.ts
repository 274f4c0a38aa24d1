import { joinPages, type ListedPage } from "./join-pages";
import { isChanging } from "./run-words";

export interface RunListState extends ListedPage {
  loading: "still" | "loading" | "failed";
}

/** The runs of one list that are known so far, in whatever part of the page they are shown. */
export interface RunStore {
  get: () => RunListState;
  subscribe: (listener: () => void) => () => void;
  /** The first page, read again, replaces its old rows above the older ones. */
  renew: (first: ListedPage) => void;
  loadMore: () => Promise<void>;
  /** Reads this part of the list again if a run in it still changes. */
  refresh: (from: number, to: number) => Promise<void>;
  /** The position in the list, for when the reader returns to it. */
  scrollY: number;
}

/** The last list is kept while one of its runs is open: a reader who returns finds it at the same length. */
let last: { rowsHref: string; store: RunStore } | null = null;

export function openRunStore(rowsHref: string, first: ListedPage): RunStore {
  if (last?.rowsHref === rowsHref) {
    last.store.renew(first);
    return last.store;
  }
  const store = createRunStore(rowsHref, first);
  // On the server nobody returns to a list, and all requests share the module.
  if (typeof window !== "undefined") last = { rowsHref, store };
  return store;
}

function createRunStore(rowsHref: string, first: ListedPage): RunStore {
  let state: RunListState = { ...first, loading: "still" };
  const listeners = new Set<() => void>();
  const set = (next: RunListState) => {
    state = next;
    for (const listener of listeners) listener();
  };
  const read = async (after: string): Promise<boolean> => {
    const page = await readRows(rowsHref, after);
    if (page) set({ ...joinPages(state, after, page), loading: state.loading });
    return page !== null;
  };
  return {
    scrollY: 0,
    get: () => state,
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    renew: (page) => set({ ...joinPages(state, null, page), loading: state.loading }),
    loadMore: async () => {
      if (state.nextCursor === null || state.loading === "loading") return;
      set({ ...state, loading: "loading" });
      const done = await read(state.nextCursor);
      set({ ...state, loading: done ? "still" : "failed" });
    },
    refresh: async (from, to) => {
      const before = state.items[from - 1];
      if (before && state.items.slice(from, to).some(isChanging)) await read(before.id);
    },
  };
}

async function readRows(rowsHref: string, after: string): Promise<ListedPage | null> {
  try {
    const response = await fetch(`${rowsHref}${rowsHref.includes("?") ? "&" : "?"}cursor=${after}`, {
      headers: { accept: "application/json" },
    });
    return response.ok ? ((await response.json()) as ListedPage) : null;
  } catch {
    return null;
  }
}
