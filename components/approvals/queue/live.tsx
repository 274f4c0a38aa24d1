"use client";

import { useEffect, useRef, useState } from "react";
import { useRefresh } from "@/components/ui/online";
import { showToast } from "@/components/ui/toast";
import type { LiveEvent } from "@/lib/approvals/queries/list-live-events";
import { holdInboxLock } from "./inbox-lock";
import { ShownNames } from "./shown-names";
import { type CardViewer, publishViewers } from "@/components/approvals/card/viewers";

const GATHER_MS = 400;
const RETRY_MS = 5_000;

interface Props {
  userId: string;
  /** The calls on the page, by the names that people see. */
  watched: Readonly<Record<string, string>>;
  /** What has a higher id than this may have happened after the page was read. */
  unseenFrom: string;
}

/**
 * Keeps the inbox current while it is visible: one live connection, closed while the tab is hidden, and a fresh page
 * when it is visible again. Without the connection (too many are open, or the network is down) the page is polled every
 * few seconds instead.
 */
export function LiveInbox({ userId, watched, unseenFrom }: Props) {
  const refreshPage = useRefresh();
  const [isDown, setDown] = useState(false);
  const names = useRef(new ShownNames());
  useEffect(() => names.current.show(watched, Date.now()), [watched]);
  const after = useRef(unseenFrom);
  useEffect(() => {
    after.current = unseenFrom;
  }, [unseenFrom]);

  useEffect(() => {
    let line: EventSource | null = null;
    let shown = new AbortController();
    /** Whether something may have happened that this page does not know. */
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
      line = new EventSource(`/live/inbox?after=${after.current}`);
      line.addEventListener("open", () => {
        setDown(false);
        if (isBehind) refresh();
        isBehind = false;
      });
      line.addEventListener("viewers", (message: MessageEvent<string>) =>
        publishViewers(JSON.parse(message.data) as CardViewer[]),
      );
      // The server ends every live connection after a while, to check the session again; that is not an interruption.
      line.addEventListener("again", () => {
        isBehind = true;
        open();
      });
      line.addEventListener("behind", refresh);
      line.addEventListener("change", (message: MessageEvent<string>) => {
        const event = JSON.parse(message.data) as LiveEvent;
        showOthers(event, userId, names.current);
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
        publishViewers([]);
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

  return (
    <span role="status" className="text-sm text-ink-3">
      {isDown ? "Live updates are interrupted" : ""}
    </span>
  );
}

/** Who removed a call from this page, unless it was the reader. */
function showOthers(event: LiveEvent, userId: string, names: ShownNames): void {
  const name = names.find(event.approvalId, Date.now());
  // The card on the screen says so itself.
  if (name === undefined || event.actor.id === userId || location.pathname === `/inbox/${event.approvalId}`) return;
  if (event.type === "approval.decided")
    showToast(`${event.actor.name} ${event.verdict === "rejected" ? "rejected" : "approved"} ${name}`);
  if (event.type === "approval.expired") showToast(`${name} expired`);
}
