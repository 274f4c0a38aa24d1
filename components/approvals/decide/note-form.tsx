"use client";

import type { ReactNode, Ref } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { controlClass } from "@/components/ui/field";
import { isComposing } from "@/components/ui/is-composing";

const LENGTH_MAX = 2000;
/** Choices above the text, which look the same as buttons and as radios. */
export const chipClass = "rounded-full border border-line-strong bg-panel px-3 py-0.5 text-sm max-tablet:py-1.5";

interface Props {
  field: { id: string; label: ReactNode; placeholder: string };
  fieldRef?: Ref<HTMLTextAreaElement>;
  text: string;
  onText: (text: string) => void;
  isPending: boolean;
  action: string;
  pendingAction: string;
  onSend: () => void;
  onCancel: () => void;
  before?: ReactNode;
  after?: ReactNode;
}

/** A decision that takes a few words: something to choose above them, something to read below, sent by button or ⌘↵. */
export function NoteForm({
  field,
  fieldRef,
  text,
  onText,
  isPending,
  action,
  pendingAction,
  onSend,
  onCancel,
  before,
  after,
}: Props) {
  return (
    <form
      className="grid gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) onSend();
      }}
    >
      {before}
      <div className="grid gap-1.5">
        <label htmlFor={field.id} className="text-sm font-medium text-ink-2">
          {field.label}
        </label>
        <textarea
          id={field.id}
          ref={fieldRef}
          autoFocus
          rows={2}
          maxLength={LENGTH_MAX}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={(event) => {
            if (
              event.key === "Enter" &&
              (event.metaKey || event.ctrlKey) &&
              !event.repeat &&
              !isComposing(event.nativeEvent)
            )
              event.currentTarget.form?.requestSubmit();
          }}
          placeholder={field.placeholder}
          className={classNames(controlClass, "h-auto py-1.5 max-tablet:h-auto")}
        />
      </div>
      {after}
      <div className="flex flex-wrap justify-end gap-2">
        <Button data-key="escape" onClick={onCancel}>
          Back
        </Button>
        <Button type="submit" variant="primary" aria-disabled={isPending || undefined}>
          {isPending ? pendingAction : action}
        </Button>
      </div>
    </form>
  );
}
