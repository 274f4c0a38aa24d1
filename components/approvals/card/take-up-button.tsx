"use client";

import { useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { announce } from "@/components/ui/toast";
import type { TakeUp } from "@/components/approvals/decide/decision";

export function TakeUpButton({ approvalId, takeUp }: { approvalId: string; takeUp: TakeUp }) {
  const [isPending, start] = useTransition();
  const [problem, setProblem] = useState<string | null>(null);
  const run = () => {
    if (isPending) return;
    start(async () => {
      try {
        const { ok, message } = await takeUp(approvalId);
        setProblem(ok ? null : message);
        if (!ok) return;
        announce(message);
        // The button disappears after its action.
        document.getElementById("card-title")?.focus({ preventScroll: true });
      } catch {
        setProblem("The connection broke; look whether it is back before you try again.");
      }
    });
  };
  return (
    <span className="inline-flex items-center gap-2">
      <Button size="small" onClick={run} aria-disabled={isPending || undefined}>
        {isPending ? "Taking it up…" : "Take up again"}
      </Button>
      {problem ? (
        <span role="alert" className="text-critical">
          {problem}
        </span>
      ) : null}
    </span>
  );
}
