"use client";

import { useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { useExactTime } from "@/components/ui/exact-time";
import { announce } from "@/components/ui/toast";
import type { Extend } from "@/components/approvals/decide/decision";

const BY_MS = 30 * 60_000;

interface Props {
  approvalId: string;
  expiresAt: string;
  /** More time can be given until then. */
  latest: string;
  extend: Extend;
}

export function ExtendButton({ approvalId, expiresAt, latest, extend }: Props) {
  const latestShown = useExactTime(latest);
  const [isPending, start] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);
  const run = () => {
    if (isPending) return;
    start(async () => {
      try {
        const { ok, message } = await extend(approvalId);
        setProblem(ok ? null : message);
        if (ok) announce(message);
      } catch {
        setProblem("The connection broke; look whether the time has changed before you try again.");
      }
    });
  };
  if (Date.parse(expiresAt) + BY_MS > Date.parse(latest))
    return <span className="text-sm text-ink-2">Can be extended until {latestShown} at most</span>;
  return (
    <span className="inline-flex items-center gap-2">
      {problem ? (
        <span role="alert" className="text-sm text-critical">
          {problem}
        </span>
      ) : null}
      <Button
        size="small"
        className="gap-1"
        title={`Until ${latestShown} at most`}
        onClick={run}
        aria-disabled={isPending || undefined}
      >
        {isPending ? "Extending…" : "Extend"}
        {isPending ? null : <span className="max-tablet:sr-only">30 min</span>}
      </Button>
    </span>
  );
}
