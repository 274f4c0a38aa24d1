"use client";

import { useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { announce } from "@/components/ui/toast";
import type { Extend } from "./decision";

export function ExtendButton({ approvalId, extend }: { approvalId: string; extend: Extend }) {
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
  return (
    <span className="inline-flex items-center gap-2">
      {problem ? <span role="alert" className="text-sm text-critical">{problem}</span> : null}
      <Button size="small" className="gap-1" onClick={run} aria-disabled={isPending || undefined}>
        {isPending ? "Extending…" : "Extend"}
        {isPending ? null : <span className="max-tablet:sr-only">30 min</span>}
      </Button>
    </span>
  );
}
