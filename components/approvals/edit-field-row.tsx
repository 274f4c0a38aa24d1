"use client";

import { useId } from "react";
import { classNames } from "@/components/ui/class-names";
import { controlClass, Select } from "@/components/ui/field";
import type { InvisibleArgument } from "@/lib/store/queries/show-arguments";
import type { Draft, EditField } from "./edit-fields";
import { ShownText } from "./shown-text";

const KIND_WORDS: Partial<Record<EditField["kind"], string>> = { number: "number", integer: "integer", json: "JSON", items: "one on each line" };

interface Props {
  field: EditField;
  /** Set when something hides in its name, or in the value that was proposed. */
  invisible: InvisibleArgument | undefined;
  draft: Draft;
  problem: string | undefined;
  isFirst: boolean;
  onChange: (draft: Draft) => void;
}

/** One argument in the form for changes: its name, whether it is sent at all, its value, and what is wrong with it or hides in it. */
export function EditFieldRow({ field, invisible, draft, problem, isFirst, onChange }: Props) {
  const id = useId();
  const name = invisible?.shownName ?? field.name;
  const marks = invisible?.marks ?? [];
  const note = problem ? `${name} ${problem}.` : field.description;
  const noteIds = [note ? `${id}-note` : "", marks.length > 0 ? `${id}-hidden` : ""].filter((noteId) => noteId !== "").join(" ");
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-2 text-sm">
        <label htmlFor={id} className="font-medium text-ink-2">
          <code><ShownText text={name} /></code> {KIND_WORDS[field.kind] ? <span className="font-normal text-ink-3">{KIND_WORDS[field.kind]}</span> : null}
        </label>
        {field.required || field.kind === "hidden" ? null : (
          <label className="flex items-center gap-1.5 text-ink-2">
            <input type="checkbox" checked={draft.isSent} onChange={(event) => onChange({ ...draft, isSent: event.target.checked })} className="size-3.5 accent-accent" />
            <span>send <ShownText text={name} /></span>
          </label>
        )}
      </div>
      {field.kind === "hidden" ? (
        <input id={id} disabled value="hidden; sent unchanged" className={controlClass} />
      ) : (
        <Control id={id} field={field} draft={draft} isFirst={isFirst} isInvalid={problem !== undefined} noteIds={noteIds || undefined} onChange={onChange} />
      )}
      {note ? (
        <p id={`${id}-note`} className={classNames("text-sm wrap-anywhere", problem ? "text-critical" : "text-ink-3")}>
          {note}
        </p>
      ) : null}
      {marks.length > 0 ? (
        <p id={`${id}-hidden`} className="text-sm text-ink-2 wrap-anywhere">
          As proposed it holds what cannot be seen here: <ShownText text={marks.join(" ")} />. The review shows where, and what of it is left.
        </p>
      ) : null}
    </div>
  );
}

interface ControlProps {
  id: string;
  field: EditField;
  draft: Draft;
  isFirst: boolean;
  isInvalid: boolean;
  noteIds: string | undefined;
  onChange: (draft: Draft) => void;
}

function Control({ id, field, draft, isFirst, isInvalid, noteIds, onChange }: ControlProps) {
  const common = { id, value: draft.text, disabled: !draft.isSent, autoFocus: isFirst, "aria-invalid": isInvalid || undefined, "aria-describedby": noteIds } as const;
  const write = (text: string) => onChange({ ...draft, text });
  switch (field.kind) {
    case "boolean":
      return <Select {...common} onChange={(event) => write(event.target.value)} choices={["true", "false"].map((value) => ({ value, label: value }))} />;
    case "choice":
      return <Select {...common} onChange={(event) => write(event.target.value)} choices={field.choices.map((choice) => ({ value: JSON.stringify(choice), label: typeof choice === "string" ? choice : JSON.stringify(choice) }))} />;
    case "lines":
    case "items":
    case "json":
      return <textarea {...common} rows={2} spellCheck={false} onChange={(event) => write(event.target.value)} className={classNames(controlClass, "h-auto max-h-72 field-sizing-content py-1.5 max-tablet:h-auto font-mono text-[12.5px]")} />;
    default:
      return <input {...common} type="text" autoComplete="off" spellCheck={false} inputMode={field.kind === "text" ? undefined : "decimal"} onChange={(event) => write(event.target.value)} className={classNames(controlClass, "font-mono text-[12.5px]")} />;
  }
}
