"use client";

import { usePathname } from "next/navigation";
import { useEffect } from "react";
import { isWithin } from "./destinations";
import { listenUntil } from "./listen";
import { type LiveCounts, publishCounts, titleWith, useWaiting } from "./waiting";

const LISTENER = "kimitsu-counts";

/**
 * Keeps the counts of what waits for people current on every page: in the navigation, and that of calls in the tab's
 * title. `at` is when the page was rendered.
 */
export function KeepWaiting({ counts, at }: { counts: LiveCounts; at: string }) {
  // The inbox has a live connection of its own, and refreshes the whole page when something changes.
  const isInbox = isWithin(usePathname(), "/inbox");
  const waiting = useWaiting(counts.waiting);
  // A page that was made anew may bring the number that it had before, which another has replaced meanwhile.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => publishCounts(counts), [counts, at]);
  useEffect(() => (isInbox ? undefined : listenWhileShown()), [isInbox]);
  useEffect(() => keepTitle(waiting), [waiting]);
  return null;
}

/**
 * One visible window of a browser listens and informs the others: a browser opens only a few connections to one server.
 */
function listenWhileShown(): () => void {
  const others = new BroadcastChannel(LISTENER);
  others.addEventListener("message", ({ data }: MessageEvent<LiveCounts>) => publishCounts(data));
  const hear = (data: string) => {
    const counts = JSON.parse(data) as LiveCounts;
    publishCounts(counts);
    // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
    others.postMessage(counts);
  };
  let shown = new AbortController();
  const onVisibility = () => {
    shown.abort();
    if (document.visibilityState === "hidden") return;
    const { signal } = (shown = new AbortController());
    const listen = () => listenUntil(signal, { address: "/live/inbox?for=count", event: "count", hear });
    // Browsers without locks open a live connection in each visible window.
    void (navigator.locks ? navigator.locks.request(LISTENER, { signal }, listen).catch(() => undefined) : listen());
  };
  onVisibility();
  document.addEventListener("visibilitychange", onVisibility);
  return () => {
    document.removeEventListener("visibilitychange", onVisibility);
    shown.abort();
    others.close();
  };
}

/** Each page sets a title of its own, a moment after its address. */
function keepTitle(waiting: number): () => void {
  const update = () => {
    const title = titleWith(document.title, waiting);
    if (title !== document.title) document.title = title;
  };
  update();
  const watcher = new MutationObserver(update);
  watcher.observe(document.head, { childList: true, subtree: true, characterData: true });
  return () => watcher.disconnect();
}
