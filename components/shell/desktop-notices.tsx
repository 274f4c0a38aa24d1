"use client";

import { useRouter } from "next/navigation";
import { useEffect } from "react";
import { isInboxShown } from "@/components/approvals/queue/inbox-lock";
import type { WaitingCall } from "@/lib/approvals/queries/find-waiting";
import { listenUntil } from "./listen";

/** Only one window of a browser listens and notifies; when it closes, the next one takes over. */
const LISTENER = "kimitsu-notices";

/** Desktop notifications, while any window of the console is open, hidden ones too. */
export function DesktopNotices({ isOn }: { isOn: boolean }) {
  const router = useRouter();
  useEffect(() => {
    if (!isOn || typeof Notification === "undefined" || Notification.permission !== "granted" || !navigator.locks)
      return;
    const closing = new AbortController();
    const openCard = (id: string) => router.push(`/inbox/${id}`);
    const listen = () =>
      listenUntil(closing.signal, {
        address: "/live/inbox?for=notices",
        event: "waiting",
        hear: (data) => void notify(JSON.parse(data) as WaitingCall, openCard),
      });
    navigator.locks.request(LISTENER, { signal: closing.signal }, listen).catch(() => undefined);
    return () => closing.abort();
  }, [isOn, router]);
  return null;
}

async function notify(call: Omit<WaitingCall, "approvers">, openCard: (approvalId: string) => void): Promise<void> {
  if (await isInboxShown()) return;
  const notice = new Notification("A call waits for you", {
    body: `${call.tool}\n${call.danger} danger, workflow ${call.workflow}`,
    tag: call.id,
    icon: "/icon-192.png",
  });
  notice.addEventListener("click", () => {
    window.focus();
    openCard(call.id);
    notice.close();
  });
}
