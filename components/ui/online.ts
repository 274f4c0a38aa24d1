"use client";

import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { showToast } from "./toast";

const RETRY_MS = 1_000;
/** What is done when the server can be reached again. */
const waiting = new Set<() => void>();

/** False while the browser knows that it has no network. */
export const isOnline = (): boolean => navigator.onLine;

/** In place of an address that cannot be gone to now. */
export function tellOffline(): void {
  showToast("You are offline; this page stays until there is a network again.");
}

/** A network that is back need not reach the server at once. */
function catchUp(): void {
  const again = () => (isOnline() ? setTimeout(catchUp, RETRY_MS) : addEventListener("online", catchUp, { once: true }));
  const reached = () => {
    for (const act of waiting) act();
    waiting.clear();
  };
  fetch("/healthz", { method: "HEAD", cache: "no-store" }).then(reached, again);
}

function whenReached(act: () => void): void {
  if (waiting.size === 0) addEventListener("online", catchUp, { once: true });
  waiting.add(act);
}

/**
 * Asks for the page again, and without a network as soon as there is one: a refresh that fails becomes a navigation, and the browser's
 * error page would stand where the console was.
 */
export function useRefresh(): () => void {
  const { refresh } = useRouter();
  return useCallback(() => (isOnline() ? refresh() : whenReached(refresh)), [refresh]);
}
