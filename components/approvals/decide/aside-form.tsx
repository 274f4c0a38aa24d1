"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { classNames } from "@/components/ui/class-names";
import { Notice } from "@/components/ui/notice";
import { showToast } from "@/components/ui/toast";
import type { SetAside } from "./decision";
import { chipClass, NoteForm } from "./note-form";

const TIMES = [
  { label: "15 min", minutes: 15 },
  { label: "1 hour", minutes: 60 },
  { label: "4 hours", minutes: 240 },
  { label: "1 day", minutes: 1440 },
  { label: "Until it changes", minutes: null },
] as const;

interface Props {
  approvalId: string;
  nextHref: string;
  hasExpiry: boolean;
  note: string;
  onNote: (note: string) => void;
  /** It was set aside together with the note. */
  onSet: () => void;
  setAside: SetAside;
  onCancel: () => void;
}

/**
 * "Not now": for how long it sinks in the reader's own queue, and what the others should know. Then the next call is
 * shown.
 */
export function AsideForm({ approvalId, nextHref, hasExpiry, note, onNote, onSet, setAside, onCancel }: Props) {
  const router = useRouter();
  const [minutes, setMinutes] = useState<number | null>(60);
  const [problem, setProblem] = useState<string | null>(null);
  const [isPending, start] = useTransition();
  const send = () =>
    start(async () => {
      try {
        const { ok, message } = await setAside({
          approvalId,
          minutes,
          ...(note.trim() === "" ? {} : { note: note.trim() }),
        });
        if (!ok) return setProblem(message);
        onSet();
        showToast(message);
        start(() => router.push(nextHref));
      } catch {
        setProblem("The connection broke; look whether it is set aside before you try again.");
      }
    });
  return (
    <NoteForm
      field={{
        id: "aside-note",
        label: (
          <>
            Note for the others <span className="font-normal text-ink-3">optional; the agent never reads it</span>
          </>
        ),
        placeholder: "What is it waiting for?",
      }}
      text={note}
      onText={onNote}
      isPending={isPending}
      action="Set aside"
      pendingAction="Setting aside…"
      onSend={send}
      onCancel={onCancel}
      before={
        <>
          {problem ? (
            <Notice tone="failed" title="Not set aside">
              {problem}
            </Notice>
          ) : null}
          <fieldset className="grid gap-1.5">
            <legend className="mb-1.5 text-sm font-medium text-ink-2">It sinks in your queue for</legend>
            <div className="flex flex-wrap gap-1.5">
              {TIMES.map((time) => (
                <label
                  key={time.label}
                  className={classNames(
                    chipClass,
                    "has-checked:border-accent has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent",
                  )}
                >
                  <input
                    type="radio"
                    name="aside-time"
                    className="sr-only"
                    checked={minutes === time.minutes}
                    onChange={() => setMinutes(time.minutes)}
                  />
                  {time.label}
                </label>
              ))}
            </div>
            <p className="text-sm text-ink-3">
              It comes back earlier when something about it changes
              {hasExpiry ? ", and in good time before it expires" : ""}. For the others nothing changes.
            </p>
          </fieldset>
        </>
      }
    />
  );
}
