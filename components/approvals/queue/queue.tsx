"use client";

import { type FocusEvent, useEffect, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import type { InboxRow } from "@/lib/approvals/queries/list-inbox";
import { BatchBar } from "./batch-bar";
import type { Decide } from "@/components/approvals/decide/decision";
import { holdRows, type QueueRows, type ShownRow, type ShownRows } from "./hold-rows";
import { arriveAt, rememberPlace } from "./queue-place";
import { QueueRow } from "./queue-row";

interface Props extends QueueRows {
  /** Shown in place of the list; the result of a batch stays although it was about the last rows. */
  whenEmpty: string;
  selectedId: string | null;
  /** Behind the path of a card: the filters. */
  search: string;
  decide: Decide;
}

/** The pending calls. Those that are not critical and that the reader may decide can be picked for a batch. */
export function Queue({ rows, sunk, whenEmpty, selectedId, search, now, decide }: Props) {
  // Keyed by digest: a call whose arguments were changed is no longer what was picked.
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const toggle = (row: InboxRow) =>
    setPicked((before) =>
      before.has(pickOf(row))
        ? new Set([...before].filter((other) => other !== pickOf(row)))
        : new Set([...before, pickOf(row)]),
    );
  const { shown, listeners, showArrived } = useStillRows({ rows, sunk, now }, search);
  const all = [...rows, ...sunk];
  const pickable = all.filter(isPickable);
  const chosen = pickable.filter((row) => picked.has(pickOf(row)));
  const gone = picked.size - chosen.length;
  const place = [...shown.rows, ...shown.sunk]
    .filter(({ isGone }) => !isGone)
    .findIndex(({ row }) => row.id === selectedId);
  useEffect(() => {
    if (place !== -1) rememberPlace(place);
  }, [place]);
  const cardBefore = useRef(selectedId);
  // A card opened from elsewhere scrolls to its row in the queue; lost focus moves to the new card.
  useEffect(() => {
    arriveAt(selectedId);
    if (cardBefore.current !== selectedId && document.activeElement === document.body)
      document.getElementById("card-title")?.focus({ preventScroll: true });
    cardBefore.current = selectedId;
    if (selectedId !== null)
      void document.querySelector(`[data-row="${CSS.escape(selectedId)}"]`)?.scrollIntoView({ block: "nearest" });
  }, [selectedId]);
  const show = ({ row, isGone }: ShownRow) => (
    <QueueRow
      key={row.id}
      row={row}
      href={`/inbox/${row.id}${search}`}
      isGone={isGone}
      isCurrent={row.id === selectedId}
      isPicked={picked.has(pickOf(row))}
      isPickable={isPickable(row)}
      hasBoxes={pickable.length > 0}
      onPick={() => toggle(row)}
      now={now}
    />
  );
  return (
    <>
      <div className="relative flex min-h-0 flex-1 flex-col" {...listeners}>
        {shown.rows.length + shown.sunk.length === 0 ? (
          <p className="px-4 py-6 text-ink-2">{whenEmpty}</p>
        ) : (
          <ol aria-label="Pending approvals" className="min-h-0 flex-1 overflow-y-auto max-tablet:overflow-visible">
            {shown.rows.map(show)}
            {shown.sunk.length > 0 ? (
              <li className="border-b border-line bg-sunken px-4 py-1.5 text-sm font-medium text-ink-2">
                Set aside by you
              </li>
            ) : null}
            {shown.sunk.map(show)}
          </ol>
        )}
        {shown.arrived + shown.returned > 0 ? (
          <Button
            data-foot
            size="small"
            onClick={showArrived}
            className="absolute bottom-3 left-1/2 -translate-x-1/2 shadow-float"
          >
            {describeHeld(shown)}
          </Button>
        ) : null}
      </div>
      <BatchBar
        chosen={chosen}
        gone={gone}
        search={search}
        pickable={pickable.length}
        onPickAll={() => setPicked(new Set(pickable.map(pickOf)))}
        onClear={() => setPicked(new Set())}
        onSent={(sent) =>
          setPicked((before) => new Set([...before].filter((pick) => !sent.some((row) => pickOf(row) === pick))))
        }
        decide={decide}
      />
    </>
  );
}

function describeHeld({ arrived, returned }: ShownRows): string {
  if (arrived === 0) return returned === 1 ? "Show 1 call that came back" : `Show ${returned} calls that came back`;
  return `Show ${arrived === 1 ? "1 new call" : `${arrived} new calls`}${returned === 0 ? "" : ` and ${returned} that came back`}`;
}

const pickOf = ({ id, digest }: Pick<InboxRow, "id" | "digest">): string => `${id} ${digest}`;

const isPickable = (row: InboxRow): boolean =>
  row.danger !== "critical" && row.refusal === null && !row.decidedByReader;

/** While the pointer is in the queue, or keyboard focus, no row moves, so that a press hits what it was aimed at. */
function useStillRows(fresh: QueueRows, search: string) {
  const [held, setHeld] = useState<(QueueRows & { search: string }) | null>(null);
  const hold = () => setHeld((before) => (before?.search === search ? before : { ...fresh, search }));
  const release = () => setHeld(null);
  return {
    shown: holdRows(held?.search === search ? held : fresh, fresh),
    showArrived: () => setHeld({ ...fresh, search }),
    listeners: {
      onPointerEnter: hold,
      onPointerMove: hold,
      onPointerLeave: release,
      onFocus: (event: FocusEvent<HTMLElement>) => void (event.target.matches(":focus-visible") && hold()),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) =>
        void (currentTarget.contains(relatedTarget) || currentTarget.matches(":hover") || release()),
    },
  };
}
