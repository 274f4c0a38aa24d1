"use client";

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from "react";
import { rememberSeen } from "./seen-cards";

/** What counts for a part of a card: that what was folded in it was opened, or that all of it was on the screen. */
export type Sight = "opened" | "seen";

interface Seen {
  report: (part: string) => void;
  sight: Sight;
  /** In the order of the card. */
  missing: readonly string[];
  /** How many pixels at the bottom of the window are covered; null until measured. */
  covered: number | null;
  /** False at first, before the parts on the screen were searched for. */
  isSettled: boolean;
}

const SETTLE_MS = 500;
const SeenContext = createContext<Seen>({
  report: () => undefined,
  sight: "opened",
  missing: [],
  covered: null,
  isSettled: false,
});

interface Props {
  card: string;
  digest: string;
  /** Those that must be opened, or seen, before the call is approved. */
  parts: readonly string[];
  sight: Sight;
  children: ReactNode;
}

/** Knows which parts of a card the reader has not seen yet. Approving waits for all of them. */
export function SeenParts({ card, digest, parts, sight, children }: Props) {
  // Changed arguments are new parts; other state of the card, such as why a decision was refused, is kept.
  const [seen, setSeen] = useState<{ digest: string; parts: ReadonlySet<string> }>({ digest, parts: new Set() });
  const [isLookedFor, setLookedFor] = useState(false);
  // What is folded is known from the start.
  const isSettled = isLookedFor || sight === "opened";
  useEffect(() => {
    const timer = setTimeout(() => setLookedFor(true), SETTLE_MS);
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
  const missing = useMemo(
    () => parts.filter((part) => seen.digest !== digest || !seen.parts.has(part)),
    [parts, seen, digest],
  );
  useEffect(() => {
    if (missing.length === 0) rememberSeen({ id: card, digest });
  }, [card, digest, missing]);
  const covered = useCovered();
  const value = useMemo(
    () => ({ report, sight, missing, covered, isSettled }),
    [report, sight, missing, covered, isSettled],
  );
  return <SeenContext.Provider value={value}>{children}</SeenContext.Provider>;
}

/** On a phone the foot of the card covers the end of the scrolled area; what is under it does not count as seen. */
function useCovered(): number | null {
  const [covered, setCovered] = useState<number | null>(null);
  useEffect(() => {
    const foot = document.querySelector<HTMLElement>("article > [data-foot]");
    if (!foot) return;
    const watcher = new ResizeObserver(() =>
      setCovered(getComputedStyle(foot).position === "sticky" ? Math.ceil(foot.getBoundingClientRect().height) : 0),
    );
    watcher.observe(foot);
    return () => watcher.disconnect();
  }, []);
  return covered;
}

/** Opens a folded part and scrolls to its start; a part that is already open is scrolled to its end. */
function goTo(part: string): void {
  const find = () => document.querySelector<HTMLElement>(`[data-part="${CSS.escape(part)}"]`);
  const row = find();
  if (!row) {
    document.querySelector<HTMLElement>("[data-more-parts]")?.click();
    return void requestAnimationFrame(() => find()?.scrollIntoView({ block: "start" }));
  }
  const fold = row.querySelector<HTMLElement>('[aria-expanded="false"][data-fold]');
  fold?.click();
  (fold ? row : (row.querySelector("[data-seen-mark]") ?? row)).scrollIntoView({ block: fold ? "start" : "center" });
}

export function useMissingParts(): { missing: number; isSettled: boolean; goToNext: () => void } {
  const { missing, isSettled } = useContext(SeenContext);
  const [next] = missing;
  return { missing: missing.length, isSettled, goToNext: () => void (next !== undefined && goTo(next)) };
}

/** At the very end of a part, and only while it is open: when it comes into view, what is before it was visible too. */
export function SeenMark({ part }: { part: string }) {
  const { report, sight, covered } = useContext(SeenContext);
  const ref = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const mark = ref.current;
    if (sight === "opened") return report(part);
    if (!mark || covered === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) report(part);
      },
      { rootMargin: `0px 0px -${covered}px 0px` },
    );
    observer.observe(mark);
    return () => observer.disconnect();
  }, [part, report, sight, covered]);
  return <span ref={ref} aria-hidden data-seen-mark className="inline-block h-px w-px" />;
}
