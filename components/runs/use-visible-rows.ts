"use client";

import { type RefObject, useEffect, useState } from "react";

export interface VisibleRows {
  /** The first rendered row, and the one after the last. */
  from: number;
  to: number;
  /** 0 before anything was measured: then all rows are rendered. */
  rowHeight: number;
}

/**
 * Rows above and below the window that are rendered too: the next stop of the Tab key, and what a quick scroll shows
 * first.
 */
const SPARE_ROWS = 12;
/**
 * The rendered part of the table moves by this many rows at a time, so that not each pixel of scrolling renders it
 * again.
 */
const STEP_ROWS = 6;

/** Which rows of a long table are near the window. All its rows have one height. */
export function useVisibleRows(body: RefObject<HTMLTableSectionElement | null>): VisibleRows {
  const [rows, setRows] = useState<VisibleRows>({ from: 0, to: 0, rowHeight: 0 });
  useEffect(() => {
    const table = body.current;
    if (!table) return;
    let frame = 0;
    const soon = () => {
      frame ||= requestAnimationFrame(() => {
        frame = 0;
        const found = measure(table);
        if (found)
          setRows((now) =>
            now.from === found.from && now.to === found.to && now.rowHeight === found.rowHeight ? now : found,
          );
      });
    };
    soon();
    window.addEventListener("scroll", soon, { passive: true });
    window.addEventListener("resize", soon);
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("scroll", soon);
      window.removeEventListener("resize", soon);
    };
  }, [body]);
  return rows;
}

function measure(body: HTMLTableSectionElement): VisibleRows | null {
  const rowHeight = body.querySelector("tr[aria-rowindex]")?.getBoundingClientRect().height ?? 0;
  if (rowHeight === 0) return null;
  const { top } = body.getBoundingClientRect();
  const first = Math.floor(-top / rowHeight) - SPARE_ROWS;
  const last = Math.ceil((window.innerHeight - top) / rowHeight) + SPARE_ROWS;
  const from = Math.max(0, Math.floor(first / STEP_ROWS) * STEP_ROWS);
  return { from, to: Math.max(from, Math.ceil(last / STEP_ROWS) * STEP_ROWS), rowHeight };
}
