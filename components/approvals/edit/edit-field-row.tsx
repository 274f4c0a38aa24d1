"use client";

import { useId } from "react";
import { classNames } from "@/components/ui/class-names";
import { SchemaControl } from "@/components/ui/schema-control";
import type { InvisibleArgument } from "@/lib/approvals/view/show-arguments";
import type { Draft, EditField } from "./edit-fields";
import { ShownText } from "@/components/approvals/card/shown-text";

const KIND_WORDS: Partial<Record<EditField["kind"], string>> = {
  number: "number",
  integer: "integer",
  json: "JSON",
  lines: "one on each line",
};

interface Props {
  field: EditField;
  /** Set when something hides in its name, or in the value that was proposed. */
  invisible: InvisibleArgument | undefined;
  draft: Draft;
  problem: string | undefined;
  isFirst: boolean;
  onChange: (draft: Draft) => void;
}

/**
 * One argument in the form for changes: its name, whether it is sent at all, its value, and what is wrong with it or
 * invisible in it.
 */
export function EditFieldRow({ field, invisible, draft, problem, isFirst, onChange }: Props) {
  const id = useId();
  const name = invisible?.shownName ?? field.name;
  const marks = invisible?.marks ?? [];
  const note = problem ? `${name} ${problem}.` : field.description;
  const noteIds = [note ? `${id}-note` : "", marks.length > 0 ? `${id}-hidden` : ""]
    .filter((noteId) => noteId !== "")
    .join(" ");
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-2 text-sm">
        <label htmlFor={id} className="font-medium text-ink-2">
          <code>
            <ShownText text={name} />
          </code>{" "}
          {KIND_WORDS[field.kind] ? <span className="font-normal text-ink-3">{KIND_WORDS[field.kind]}</span> : null}
        </label>
        {field.required || field.kind === "hidden" ? null : (
          <label className="flex items-center gap-1.5 text-ink-2">
            <input
              type="checkbox"
              checked={draft.isSent}
              onChange={(event) => onChange({ ...draft, isSent: event.target.checked })}
              className="size-3.5 accent-accent"
            />
            <span>
              send <ShownText text={name} />
            </span>
          </label>
        )}
      </div>
      <SchemaControl
        id={id}
        field={field}
        mono
        value={draft.text}
        disabled={!draft.isSent}
        autoFocus={isFirst}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={noteIds || undefined}
        onChange={(event) => onChange({ ...draft, text: event.target.value })}
      />
      {note ? (
        <p id={`${id}-note`} className={classNames("text-sm wrap-anywhere", problem ? "text-critical" : "text-ink-3")}>
          {note}
        </p>
      ) : null}
      {marks.length > 0 ? (
        <p id={`${id}-hidden`} className="text-sm text-ink-2 wrap-anywhere">
          As proposed it holds what cannot be seen here: <ShownText text={marks.join(" ")} />. The review shows where,
          and what of it is left.
        </p>
      ) : null}
    </div>
  );
}
