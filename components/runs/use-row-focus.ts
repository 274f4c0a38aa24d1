"use client";

import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";

/**
 * The id of the row that has the focus, or null. That row must stay in the page wherever it is scrolled to: otherwise
 * its reader would lose their place. Arrow keys, Home and End lead from row to row.
 */
export function useRowFocus(body: RefObject<HTMLTableSectionElement | null>, ids: readonly string[]): string | null {
  const [focused, setFocused] = useState<string | null>(null);
  const isMoving = useRef(false);
  useEffect(() => {
    const table = body.current;
    if (!table) return;
    const onFocus = ({ target }: FocusEvent) => setFocused(idOf(target));
    const onBlur = () => {
      if (!isMoving.current) setFocused(null);
    };
    const onKey = (event: KeyboardEvent) => {
      const to = ids[toIndex(event, ids.indexOf(idOf(event.target) ?? ""), ids.length) ?? -1];
      if (to === undefined) return;
      event.preventDefault();
      isMoving.current = true;
      setFocused(to);
    };
    table.addEventListener("focusin", onFocus);
    table.addEventListener("focusout", onBlur);
    table.addEventListener("keydown", onKey);
    return () => {
      table.removeEventListener("focusin", onFocus);
      table.removeEventListener("focusout", onBlur);
      table.removeEventListener("keydown", onKey);
    };
  }, [body, ids]);
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    // Only now is the row certainly rendered.
    body.current?.querySelector<HTMLElement>(`a[data-run="${focused}"]`)?.focus();
    isMoving.current = false;
  }, [body, focused]);
  return focused;
}

const idOf = (target: EventTarget | null): string | null =>
  target instanceof HTMLAnchorElement ? (target.dataset.run ?? null) : null;

/** Where a key leads from a row; null for keys that mean something else. */
function toIndex(
  { key, altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent,
  from: number,
  count: number,
): number | null {
  if (from < 0 || altKey || ctrlKey || metaKey || shiftKey) return null;
  if (key === "ArrowDown") return Math.min(count - 1, from + 1);
  if (key === "ArrowUp") return Math.max(0, from - 1);
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  return null;
}
