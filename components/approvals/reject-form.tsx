"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { controlClass } from "@/components/ui/field";
import { type RuleFacts, toldToAgent } from "./consequences";

const REASON_LENGTH_MAX = 2000;

interface Props {
  tool: string;
  presets: readonly string[];
  rule: RuleFacts;
  isPending: boolean;
  onReject: (reason: string) => void;
  onCancel: () => void;
}

/** A reason from the YAML or in one's own words, and under it what the agent will read. */
export function RejectForm({ tool, presets, rule, isPending, onReject, onCancel }: Props) {
  const [reason, setReason] = useState("");
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) onReject(reason.trim());
      }}
    >
      {presets.length > 0 ? (
        <div role="group" aria-label="Reasons from the rule" className="flex flex-wrap gap-1.5">
          {presets.map((preset) => (
            <button
              key={preset}
              type="button"
              aria-pressed={reason === preset}
              onClick={() => setReason(preset)}
              className={classNames("rounded-full border border-line-strong bg-panel px-3 py-0.5 text-sm max-tablet:py-1.5", reason === preset && "border-accent bg-accent-soft text-accent")}
            >
              {preset}
            </button>
          ))}
        </div>
      ) : null}
      <div className="grid gap-1.5">
        <label htmlFor="reject-reason" className="text-sm font-medium text-ink-2">
          Reason, for the agent and for the record
        </label>
        <textarea
          id="reject-reason"
          autoFocus
          rows={2}
          maxLength={REASON_LENGTH_MAX}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) event.currentTarget.form?.requestSubmit();
          }}
          placeholder="What should the agent do differently?"
          className={classNames(controlClass, "h-auto py-1.5")}
        />
      </div>
      <div className="grid gap-1 text-sm text-ink-2">
        <span>The agent will be told:</span>
        <code className="rounded-md bg-sunken px-2.5 py-1.5 wrap-anywhere">{toldToAgent(tool, reason.trim(), rule)}</code>
      </div>
      <div className="flex flex-wrap justify-end gap-2">
        <Button data-key="escape" onClick={onCancel}>
          Back
        </Button>
        <Button type="submit" variant="primary" aria-disabled={isPending || undefined}>
          {isPending ? "Recording…" : "Reject"}
        </Button>
      </div>
    </form>
  );
}
