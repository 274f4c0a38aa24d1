"use client";

import { useRef } from "react";
import { classNames } from "@/components/ui/class-names";
import { describeEnd, readerOf, type RuleFacts, messageToAgent } from "@/components/approvals/card/consequences";
import { chipClass, NoteForm } from "./note-form";

interface Props {
  tool: string;
  presets: readonly string[];
  rule: RuleFacts;
  reason: string;
  onReason: (reason: string) => void;
  isPending: boolean;
  onReject: (reason: string) => void;
  onCancel: () => void;
}

/** A reason from the YAML or in one's own words, and under it what the agent will read. */
export function RejectForm({ tool, presets, rule, reason, onReason, isPending, onReject, onCancel }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  /** Into the words, where they can be changed, or sent by keys. */
  function choose(preset: string) {
    onReason(preset);
    field.current?.focus();
  }
  return (
    <NoteForm
      fieldRef={field}
      field={{
        id: "reject-reason",
        label: `Reason, ${readerOf(rule) === null ? "" : `for the ${readerOf(rule)} and `}for the record`,
        placeholder: readerOf(rule) === null ? "Why not?" : `What should the ${readerOf(rule)} do differently?`,
      }}
      text={reason}
      onText={onReason}
      isPending={isPending}
      action="Reject"
      pendingAction="Recording…"
      onSend={() => onReject(reason.trim())}
      onCancel={onCancel}
      before={
        presets.length > 0 ? (
          <div role="group" aria-label="Reasons from the rule" className="flex flex-wrap gap-1.5">
            {presets.map((preset) => (
              <button
                key={preset}
                type="button"
                aria-pressed={reason === preset}
                onClick={() => choose(preset)}
                className={classNames(chipClass, reason === preset && "border-accent bg-accent-soft text-accent")}
              >
                {preset}
              </button>
            ))}
          </div>
        ) : null
      }
      after={
        readerOf(rule) === "client" ? (
          <p className="text-sm text-ink-2">The client gets the reason as the error of its call.</p>
        ) : readerOf(rule) === null ? (
          <p className="text-sm text-ink-2">The agent is told nothing: rejecting {describeEnd(rule)}.</p>
        ) : (
          <div className="grid gap-1 text-sm text-ink-2">
            <span>The agent will be told:</span>
            <code className="rounded-md bg-sunken px-2.5 py-1.5 wrap-anywhere">
              {messageToAgent(tool, reason.trim(), rule)}
            </code>
          </div>
        )
      }
    />
  );
}
