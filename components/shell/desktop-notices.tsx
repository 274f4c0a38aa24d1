"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { isInboxShown } from "@/components/approvals/inbox-lock";
import type { WaitingCall } from "@/lib/store/queries/find-waiting";

/** Only one window of a browser listens and tells; when it closes, the next one takes over. */
const LISTENER = "kimitsu-notices";
const RETRY_MS = 10_000;

/** Desktop notifications, while any window of the console is open, hidden ones too. */
export function DesktopNotices({ isOn }: { isOn: boolean }) {
  const router = useRouter();
  useEffect(() => {
    if (!isOn || typeof Notification === "undefined" || Notification.permission !== "granted" || !navigator.locks) return;
    const closing = new AbortController();
    const listen = () => listenUntil(closing.signal, (id) => router.push(`/inbox/${id}`));
    navigator.locks.request(LISTENER, { signal: closing.signal }, listen).catch(() => undefined);
    return () => closing.abort();
  }, [isOn, router]);
  return null;
}

function listenUntil(signal: AbortSignal, openCard: (approvalId: string) => void): Promise<void> {
  let line: EventSource | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const open = () => {
    line = new EventSource("/live/inbox?for=notices");
    line.addEventListener("waiting", (message: MessageEvent<string>) => void tell(JSON.parse(message.data) as WaitingCall, openCard));
    // A broken line is opened by the browser itself, and goes on after the last thing it heard; one that was refused is not.
    line.addEventListener("error", () => {
      if (line?.readyState === EventSource.CLOSED) retry = setTimeout(open, RETRY_MS);
    });
  };
  open();
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => {
      clearTimeout(retry);
      line?.close();
      resolve();
    });
  });
}

async function tell(call: Omit<WaitingCall, "approvers">, openCard: (approvalId: string) => void): Promise<void> {
  if (await isInboxShown()) return;
  const notice = new Notification("A call waits for you", { body: `${call.tool}\n${call.danger} danger, workflow ${call.workflow}`, tag: call.id, icon: "/icon-192.png" });
  notice.addEventListener("click", () => {
    window.focus();
    openCard(call.id);
    notice.close();
  });
}
