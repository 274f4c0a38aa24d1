"use client";

import { type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { Button } from "@/components/ui/button";
import { Pager } from "@/components/ui/pager";
import { describeCount } from "./describe-figures";
import type { ListedPage } from "./join-pages";
import { placeRows } from "./place-rows";
import { openRunStore, type RunListState, type RunStore } from "./run-store";
import { RunHeads, RunRow } from "./run-table";
import { useRowFocus } from "./use-row-focus";
import { useVisibleRows, type VisibleRows } from "./use-visible-rows";

interface Props {
  label: string;
  first: ListedPage;
  now: string;
  /** The address of the list with its filters, to which the session of a folded row is added. */
  listHref: string;
  /** Where more rows come from, with the filters and without a cursor. */
  rowsHref: string;
  /** The same as pages, for readers without scripts. */
  firstHref?: string;
  nextHref?: string;
}

const HEAD_ROWS = 1;
const REFRESH_MS = 3_000;
/** A page rendered this soon after the Back button was pressed is the one it led to. */
const BACK_MS = 5_000;

let wentBackAt = -BACK_MS;
if (typeof window !== "undefined") window.addEventListener("popstate", () => (wentBackAt = performance.now()));

const never = () => () => undefined;

/**
 * Runs without an end: scrolling brings the next page, and only the rows near the window are rendered. Without scripts
 * it is a page with a link to the next.
 */
export function RunList({ label, first, now, listHref, rowsHref, firstHref, nextHref }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isLive = useSyncExternalStore(
    never,
    () => true,
    () => false,
  );
  const [store] = useState(() => openRunStore(rowsHref, first));
  const { items, nextCursor, loading } = useSyncExternalStore(store.subscribe, store.get, store.get);
  const visible = useVisibleRows(body);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  const focused = useRowFocus(body, ids);
  useEffect(() => store.renew(first), [store, first]);
  useMoreAndFresh(store, {
    from: visible.from,
    to: visible.to,
    rowHeight: visible.rowHeight,
    count: items.length,
    loading,
  });
  useLayoutEffect(() => {
    if (performance.now() - wentBackAt < BACK_MS) window.scrollTo({ top: store.scrollY });
    return () => void (store.scrollY = window.scrollY);
  }, [store]);
  return (
    <>
      <div role="region" aria-label={label}>
        <table
          aria-rowcount={nextCursor === null ? items.length + HEAD_ROWS : -1}
          className="w-full table-fixed border-collapse text-left whitespace-nowrap"
        >
          <thead className="bg-paper tablet:sticky tablet:top-0 tablet:z-10 print:static">
            <tr aria-rowindex={1} className="border-b border-line">
              <RunHeads />
            </tr>
          </thead>
          <tbody ref={body}>
            {placeRows(visible, items.length, focused === null ? -1 : ids.indexOf(focused)).map((place) => {
              if ("gap" in place)
                return (
                  <Gap
                    key={`gap-${place.before === items.length ? "end" : place.before}`}
                    rows={place.gap}
                    rowHeight={visible.rowHeight}
                  />
                );
              const run = items[place.index];
              return run ? (
                <RunRow key={run.id} run={run} now={now} listHref={listHref} rowIndex={place.index + 1 + HEAD_ROWS} />
              ) : null;
            })}
          </tbody>
        </table>
      </div>
      {isLive ? (
        <Foot count={items.length} isWhole={nextCursor === null} loading={loading} onMore={store.loadMore}>
          <Pager label="Pages of runs" firstHref={firstHref} />
        </Foot>
      ) : (
        <Pager label="Pages of runs" firstHref={firstHref} nextHref={nextHref} />
      )}
    </>
  );
}

/** Near the end the next page is requested; visible rows that still change are read again every few seconds. */
function useMoreAndFresh(
  store: RunStore,
  { from, to, rowHeight, count, loading }: VisibleRows & { count: number; loading: RunListState["loading"] },
) {
  useEffect(() => {
    if (rowHeight > 0 && loading === "still" && to >= count) void store.loadMore();
  }, [store, rowHeight, loading, to, count]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void store.refresh(from, to);
    }, REFRESH_MS);
    return () => clearInterval(timer);
  }, [store, from, to]);
}

/**
 * Placeholder for rows that are not rendered. The height is an attribute, because our content security policy refuses
 * inline styles; one cell, because more would be columns.
 */
function Gap({ rows, rowHeight }: { rows: number; rowHeight: number }) {
  return (
    <tr aria-hidden>
      <td height={rows * rowHeight} className="p-0">
        <span className="sr-only">{describeCount(rows, "run")} more</span>
      </td>
    </tr>
  );
}

function Foot({
  count,
  isWhole,
  loading,
  onMore,
  children,
}: {
  count: number;
  isWhole: boolean;
  loading: RunListState["loading"];
  onMore: () => Promise<void>;
  children: ReactNode;
}) {
  return (
    <div className="flex min-h-14 flex-wrap items-center gap-x-4 px-4 text-sm text-ink-3 tablet:px-6 print:hidden">
      <p role="status">
        {loading === "failed"
          ? "Older runs could not be loaded."
          : isWhole
            ? `${describeCount(count, "run")}, and no older ones.`
            : loading === "loading"
              ? "Loading older runs…"
              : `${describeCount(count, "run")} so far; older ones follow.`}
      </p>
      {isWhole || loading === "loading" ? null : (
        <Button size="small" onClick={() => void onMore()}>
          {loading === "failed" ? "Try again" : "Load older runs"}
        </Button>
      )}
      {children}
    </div>
  );
}
