"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { rememberSeen } from "./seen-cards";

interface Seen {
  report: (part: string) => void;
  /** In the order of the card. */
  missing: readonly string[];
  /** How many pixels of the window's end something stands over; null until that was measured. */
  covered: number | null;
  /** False in the first moment, in which nothing was looked for yet. */
  isSettled: boolean;
}

const SETTLE_MS = 500;
const SeenContext = createContext<Seen>({ report: () => undefined, missing: [], covered: null, isSettled: false });

/** Knows which parts of a card have been on the screen. Approving a high or critical call waits for all of them. */
export function SeenParts({ card, digest, parts, children }: { card: string; digest: string; parts: readonly string[]; children: ReactNode }) {
  // Other arguments are other parts; what else the card holds, such as why a decision was refused, outlives them.
  const [seen, setSeen] = useState<{ digest: string; parts: ReadonlySet<string> }>({ digest, parts: new Set() });
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(true), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  const report = useCallback(
    (part: string) =>
      setSeen((before) => {
        const known = before.digest === digest ? before.parts : new Set<string>();
        return before.digest === digest && known.has(part) ? before : { digest, parts: new Set([...known, part]) };
      }),
    [digest],
  );
  const missing = useMemo(() => parts.filter((part) => seen.digest !== digest || !seen.parts.has(part)), [parts, seen, digest]);
  useEffect(() => {
    if (missing.length === 0) rememberSeen({ id: card, digest });
  }, [card, digest, missing]);
  const covered = useCovered();
  const value = useMemo(() => ({ report, missing, covered, isSettled }), [report, missing, covered, isSettled]);
  return <SeenContext.Provider value={value}>{children}</SeenContext.Provider>;
}

/** On a phone the foot of the card stands over the end of what is scrolled; what lies under it is not on the screen. */
function useCovered(): number | null {
  const [covered, setCovered] = useState<number | null>(null);
  useEffect(() => {
    const foot = document.querySelector<HTMLElement>("article > [data-foot]");
    if (!foot) return;
    const watcher = new ResizeObserver(() => setCovered(getComputedStyle(foot).position === "sticky" ? Math.ceil(foot.getBoundingClientRect().height) : 0));
    watcher.observe(foot);
    return () => watcher.disconnect();
  }, []);
  return covered;
}

/** Opens what is folded and brings it to where it is read from; what is open already, to where it ends. */
function goTo(part: string | undefined): void {
  const row = part === undefined ? null : document.querySelector<HTMLElement>(`[data-part="${CSS.escape(part)}"]`);
  if (!row) return document.querySelector<HTMLElement>("[data-more-parts]")?.click();
  const fold = row.querySelector<HTMLElement>('[aria-expanded="false"][data-fold]');
  fold?.click();
  (fold ? row : (row.querySelector("[data-seen-mark]") ?? row)).scrollIntoView({ block: fold ? "start" : "center" });
}

export function useMissingParts(): { missing: number; isSettled: boolean; goToNext: () => void } {
  const { missing, isSettled } = useContext(SeenContext);
  return { missing: missing.length, isSettled, goToNext: () => goTo(missing[0]) };
}

/** Stands at the very end of a part: when it comes into view, what is before it was there too. */
export function SeenMark({ part }: { part: string }) {
  const { report, covered } = useContext(SeenContext);
  const ref = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const mark = ref.current;
    if (!mark || covered === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) report(part);
      },
      { rootMargin: `0px 0px -${covered}px 0px` },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [part, report, covered]);
  return <span ref={ref} aria-hidden data-seen-mark className="inline-block h-px w-px" />;
}
