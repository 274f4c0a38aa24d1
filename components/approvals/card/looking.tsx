"use client";

import { useEffect } from "react";
import { useViewers } from "./viewers";

/** Short visits are not counted. */
const BEGIN_MS = 1_000;
const RENEW_MS = 15_000;

/**
 * Notifies others that the reader has this card open, as long as it is visible. Nothing depends on it, so a failure is
 * silent.
 */
export function LookingAt({ approvalId }: { approvalId: string }) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReported = false;
    const report = (method: "POST" | "DELETE") =>
      void fetch("/live/inbox/look", {
        method,
        keepalive: true,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ approval_id: approvalId }),
      }).catch(() => undefined);
    const renew = () => {
      isReported = true;
      report("POST");
      timer = setTimeout(renew, RENEW_MS);
    };
    const end = () => {
      clearTimeout(timer);
      if (isReported) report("DELETE");
      isReported = false;
    };
    const onVisibility = () => {
      end();
      if (document.visibilityState === "visible") timer = setTimeout(renew, BEGIN_MS);
    };
    onVisibility();
    document.addEventListener("visibilitychange", onVisibility);
    addEventListener("pagehide", end);
    return () => {
      document.removeEventListener("visibilitychange", onVisibility);
      removeEventListener("pagehide", end);
      end();
    };
  }, [approvalId]);
  return null;
}

/** Ends the facts of a card. */
export function CardViewers({ approvalId }: { approvalId: string }) {
  const words = useViewers(approvalId);
  return (
    <div>
      <dt className="sr-only">now</dt>
      <dd className="font-medium text-accent wrap-anywhere">
        <span role="status">{words ?? ""}</span>
      </dd>
    </div>
  );
}

/** Ends the second line of a row. */
export function RowViewers({ approvalId }: { approvalId: string }) {
  const words = useViewers(approvalId);
  return words === null ? null : ` · ${words}`;
}
