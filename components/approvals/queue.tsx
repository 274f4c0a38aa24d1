"use client";

import { useEffect, useState } from "react";
import type { InboxRow } from "@/lib/store/queries/list-inbox";
import { BatchBar } from "./batch-bar";
import type { Decide } from "./decision";
import { rememberPlace } from "./queue-place";
import { QueueRow } from "./queue-row";

interface Props {
  rows: readonly InboxRow[];
  /** What the reader has set aside; it stands at the end. */
  sunk: readonly InboxRow[];
  selectedId: string | null;
  /** Behind the path of a card: the filters. */
  search: string;
  now: string;
  decide: Decide;
}

/** The pending calls. Those that are not critical and that the reader may decide can be picked for a batch. */
export function Queue({ rows, sunk, selectedId, search, now, decide }: Props) {
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) => setPicked((before) => (before.has(id) ? new Set([...before].filter((other) => other !== id)) : new Set([...before, id])));
  const all = [...rows, ...sunk];
  const pickable = all.filter(isPickable);
  const chosen = pickable.filter((row) => picked.has(row.id));
  const place = all.findIndex((row) => row.id === selectedId);
  useEffect(() => {
    if (place !== -1) rememberPlace(place);
  }, [place]);
  // A card that was opened from elsewhere shows where it stands in the queue.
  useEffect(() => {
    if (selectedId !== null) void document.querySelector(`[data-row="${CSS.escape(selectedId)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [selectedId]);
  const show = (row: InboxRow) => (
    <QueueRow key={row.id} row={row} href={`/inbox/${row.id}${search}`} isCurrent={row.id === selectedId} isPicked={picked.has(row.id)} isPickable={isPickable(row)} onPick={() => toggle(row.id)} now={now} />
  );
  return (
    <>
      <ol aria-label="Pending approvals" className="min-h-0 flex-1 overflow-y-auto max-tablet:overflow-visible">
        {rows.map(show)}
        {sunk.length > 0 ? <li className="border-b border-line bg-sunken px-4 py-1.5 text-sm font-medium text-ink-2">Set aside by you</li> : null}
        {sunk.map(show)}
      </ol>
      <BatchBar chosen={chosen} pickable={pickable.length} onPickAll={() => setPicked(new Set(pickable.map((row) => row.id)))} onClear={() => setPicked(new Set())} decide={decide} />
    </>
  );
}

const isPickable = (row: InboxRow): boolean => row.danger !== "critical" && row.refusal === null && !row.decidedByReader;
