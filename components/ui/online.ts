"use client";

import { useRouter } from "next/navigation";
import { useCallback } from "react";
import { showToast } from "./toast";

const RETRY_MS = 1_000;
/** A page that still cannot be loaded although the server answers is requested at growing intervals. */
const RETRY_MAX_MS = 15_000;
/** Statuses of a proxy whose server is down. */
const AWAY_STATUSES: readonly number[] = [502, 503, 504];

/** Whether the last request for a page did not reach the server. */
let isAway = false;
/** The one search for the server in progress, if any. */
let search: Promise<void> | null = null;
/** What is done when the server can be reached again. */
const waiting = new Set<() => void>();
const listeners = new Set<() => void>();

export type Reach = "reached" | "offline" | "away";

/** False while the browser knows that it has no network. */
export const isOnline = (): boolean => navigator.onLine;

export function currentReach(): Reach {
  if (!isOnline()) return "offline";
  return isAway ? "away" : "reached";
}

export function listenToReach(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("online", listener);
  addEventListener("offline", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("online", listener);
    removeEventListener("offline", listener);
  };
}

/** Whether another page can be opened; if not, the reader sees why this one stays. */
export function canLeave(): boolean {
  const reach = currentReach();
  if (reach === "offline") showToast("You are offline; this page stays until there is a network again.");
  if (reach === "away") showToast("Kimitsu cannot be reached; this page stays until it can.");
  return reach === "reached";
}

/**
 * Refreshes the page, or waits until the server is reachable: a refresh that fails becomes a navigation, which would
 * replace the console by the browser's error page.
 */
export function useRefresh(): () => void {
  const { refresh } = useRouter();
  return useCallback(() => {
    if (currentReach() === "reached") return refresh();
    waiting.add(refresh);
    void findServer();
  }, [refresh]);
}

/**
 * The router turns a page that it cannot fetch into a navigation. So such a fetch does not fail here: it waits until
 * the server is reachable again. All others fail as usual, above all a decision, which must not be sent twice.
 */
export function keepPage(): void {
  const send = window.fetch.bind(window);
  window.fetch = async (input, init) => {
    if (!isVisit(init)) return send(input, init);
    for (let tries = 0; ; tries++) {
      const response = await send(input, init).catch((error: unknown) => {
        if (init?.signal?.aborted) throw error;
        return null;
      });
      if (response && !AWAY_STATUSES.includes(response.status)) return response;
      // The first failure may belong to a page that is just being left.
      if (tries > 0) setAway(true);
      await delay(Math.min(RETRY_MS * 2 ** tries, RETRY_MAX_MS));
      await findServer();
    }
  };
}

/** A page that a person opens, or that refreshes itself; not a prefetch, and nothing that is submitted. */
function isVisit(init: RequestInit | undefined): boolean {
  const headers = new Headers(init?.headers);
  return (
    (init?.method ?? "GET") === "GET" &&
    headers.has("rsc") &&
    !headers.has("next-router-prefetch") &&
    !headers.has("next-router-segment-prefetch")
  );
}

function setAway(next: boolean): void {
  if (isAway === next) return;
  isAway = next;
  for (const listener of listeners) listener();
}

function findServer(): Promise<void> {
  search ??= untilFound().finally(() => {
    search = null;
    setAway(false);
    for (const act of waiting) act();
    waiting.clear();
  });
  return search;
}

/** A network that is back may not reach the server at once. */
async function untilFound(): Promise<void> {
  for (;;) {
    if (!isOnline()) await new Promise((resolve) => addEventListener("online", resolve, { once: true }));
    if (await isServerThere()) return;
    await delay(RETRY_MS);
  }
}

async function isServerThere(): Promise<boolean> {
  try {
    return (await fetch("/healthz", { method: "HEAD", cache: "no-store" })).ok;
  } catch {
    return false;
  }
}

const delay = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
