"use client";

import { useEffect, useRef, useState } from "react";
import { useRefresh } from "@/components/ui/online";
import { showToast } from "@/components/ui/toast";
import type { LiveEvent } from "@/lib/store/queries/list-live-events";
import { holdInboxLock } from "./inbox-lock";
import { type Looker, publishLookers } from "./lookers";

const GATHER_MS = 400;
const RETRY_MS = 5_000;

/**
 * Keeps the inbox true while it is looked at: one line of events, closed while the tab is hidden, and a fresh page when it comes back.
 * Without the line (too many are open, or the network is away) the page is asked for every few seconds instead.
 */
export function LiveInbox({ userId, watched }: { userId: string; watched: Readonly<Record<string, string>> }) {
  const refreshPage = useRefresh();
  const [isDown, setDown] = useState(false);
  const names = useRef(watched);
  useEffect(() => {
    names.current = watched;
  }, [watched]);

  useEffect(() => {
    let line: EventSource | null = null;
    let shown = new AbortController();
    /** Whether something may have happened that this page was not told. */
    let isBehind = false;
    let gather: ReturnType<typeof setTimeout> | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const refresh = () => {
      if (gather !== undefined) return;
      gather = setTimeout(() => {
        gather = undefined;
        refreshPage();
      }, GATHER_MS);
    };
    const close = () => {
      shown.abort();
      line?.close();
      line = null;
      clearTimeout(retry);
    };
    const open = () => {
      close();
      shown = new AbortController();
      holdInboxLock(shown.signal);
      line = new EventSource("/live/inbox");
      line.addEventListener("open", () => {
        setDown(false);
        if (isBehind) refresh();
        isBehind = false;
      });
      line.addEventListener("lookers", (message: MessageEvent<string>) => publishLookers(JSON.parse(message.data) as Looker[]));
      // The server ends every line after a while, to look at the session anew; that is no interruption.
      line.addEventListener("again", () => {
        isBehind = true;
        open();
      });
      line.addEventListener("change", (message: MessageEvent<string>) => {
        const event = JSON.parse(message.data) as LiveEvent;
        tellOfOthers(event, userId, names.current);
        refresh();
      });
      line.addEventListener("error", () => {
        setDown(true);
        isBehind = true;
        if (line?.readyState !== EventSource.CLOSED) return;
        refresh();
        retry = setTimeout(open, RETRY_MS);
      });
    };
    const onVisibility = () => {
      if (document.visibilityState === "hidden") {
        publishLookers([]);
        return close();
      }
      isBehind = true;
      open();
    };
    if (document.visibilityState === "visible") open();
    document.addEventListener("visibilitychange", onVisibility);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      clearTimeout(gather);
      close();
    };
  }, [refreshPage, userId]);

  return <span role="status" className="text-sm text-ink-3">{isDown ? "Live updates are interrupted" : ""}</span>;
}

/** Who took a call off this page, unless it was the reader. */
function tellOfOthers(event: LiveEvent, userId: string, names: Readonly<Record<string, string>>): void {
  const name = event.approvalId ? names[event.approvalId] : undefined;
  // The card on the screen says so itself.
  if (name === undefined || event.actor.id === userId || location.pathname === `/inbox/${event.approvalId}`) return;
  if (event.type === "approval.decided") showToast(`${event.actor.name} ${event.verdict === "rejected" ? "rejected" : "approved"} ${name}`);
  if (event.type === "approval.expired") showToast(`${name} expired`);
}
