"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { controlClass, Select } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import type { ArgumentEdit } from "./decision";
import { type Draft, type EditField, listEditFields, readForm, toDraft } from "./edit-fields";
import { EditReview } from "./edit-review";

interface Props {
  schema: Readonly<Record<string, unknown>> | null;
  args: unknown;
  confirmWord: string | null;
  isPending: boolean;
  onApprove: (edits: ArgumentEdit[], confirm: string | undefined) => void;
  onCancel: () => void;
}

/** A form made from the tool's schema. Before anything is sent, it shows what was proposed and what would be sent instead. */
export function EditForm({ schema, args, confirmWord, isPending, onApprove, onCancel }: Props) {
  const [fields] = useState(() => listEditFields(schema, args));
  const [drafts, setDrafts] = useState<Record<string, Draft>>(() => Object.fromEntries(fields.map((field) => [field.name, toDraft(field)])));
  const [stage, setStage] = useState<"write" | "review">("write");
  const [isTried, setTried] = useState(false);
  const { edits, problems } = readForm(fields, drafts);
  const hasProblems = Object.keys(problems).length > 0;
  if (stage === "review") return <EditReview edits={edits} confirmWord={confirmWord} isPending={isPending} onApprove={onApprove} onBack={() => setStage("write")} />;
  return (
    <form
      noValidate
      className="grid gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (!hasProblems && edits.length > 0) setStage("review");
      }}
    >
      {fields.map((field, index) => (
        <Field
          key={field.name}
          field={field}
          isFirst={index === 0}
          draft={drafts[field.name] ?? toDraft(field)}
          problem={isTried ? problems[field.name] : undefined}
          onChange={(draft) => setDrafts({ ...drafts, [field.name]: draft })}
        />
      ))}
      {isTried && !hasProblems && edits.length === 0 ? <Notice tone="note" title="Nothing is changed yet" /> : null}
      {/* However long the form is, what ends it is on the screen; it stands in the padding of the panel that scrolls. */}
      <div className="sticky -bottom-3.5 -mx-4 -mb-3.5 flex flex-wrap justify-end gap-2 border-t border-line bg-paper px-4 py-3 tablet:-mx-6 tablet:px-6">
        <Button data-key="escape" onClick={onCancel}>
          Back
        </Button>
        <Button type="submit" variant="primary">
          Review changes
        </Button>
      </div>
    </form>
  );
}

interface FieldProps {
  field: EditField;
  draft: Draft;
  problem: string | undefined;
  isFirst: boolean;
  onChange: (draft: Draft) => void;
}

function Field({ field, draft, problem, isFirst, onChange }: FieldProps) {
  const id = `edit-${field.name}`;
  const note = problem ? `${field.name} ${problem}.` : field.description;
  return (
    <div className="grid gap-1.5">
      <div className="flex flex-wrap items-baseline justify-between gap-2 text-sm">
        <label htmlFor={id} className="font-medium text-ink-2">
          <code>{field.name}</code> {field.kind === "number" || field.kind === "integer" || field.kind === "json" ? <span className="font-normal text-ink-3">{field.kind === "json" ? "JSON" : field.kind}</span> : null}
        </label>
        {field.required || field.kind === "hidden" ? null : (
          <label className="flex items-center gap-1.5 text-ink-2">
            <input type="checkbox" checked={draft.isSent} onChange={(event) => onChange({ ...draft, isSent: event.target.checked })} className="size-3.5 accent-accent" /> send {field.name}
          </label>
        )}
      </div>
      {field.kind === "hidden" ? (
        <input id={id} disabled value="hidden; sent unchanged" className={controlClass} />
      ) : (
        <Control id={id} field={field} draft={draft} isFirst={isFirst} isInvalid={problem !== undefined} noteId={note ? `${id}-note` : undefined} onChange={onChange} />
      )}
      {note ? (
        <p id={`${id}-note`} className={classNames("text-sm wrap-anywhere", problem ? "text-critical" : "text-ink-3")}>
          {note}
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
  noteId: string | undefined;
  onChange: (draft: Draft) => void;
}

function Control({ id, field, draft, isFirst, isInvalid, noteId, onChange }: ControlProps) {
  const common = { id, value: draft.text, disabled: !draft.isSent, autoFocus: isFirst, "aria-invalid": isInvalid || undefined, "aria-describedby": noteId } as const;
  const write = (text: string) => onChange({ ...draft, text });
  switch (field.kind) {
    case "boolean":
      return <Select {...common} onChange={(event) => write(event.target.value)} choices={["true", "false"].map((value) => ({ value, label: value }))} />;
    case "choice":
      return <Select {...common} onChange={(event) => write(event.target.value)} choices={field.choices.map((choice) => ({ value: JSON.stringify(choice), label: typeof choice === "string" ? choice : JSON.stringify(choice) }))} />;
    case "lines":
    case "json":
      return <textarea {...common} rows={Math.min(12, Math.max(2, draft.text.split("\n").length))} spellCheck={false} onChange={(event) => write(event.target.value)} className={classNames(controlClass, "h-auto py-1.5 max-tablet:h-auto font-mono text-[12.5px]")} />;
    default:
      return <input {...common} type="text" autoComplete="off" spellCheck={false} inputMode={field.kind === "text" ? undefined : "decimal"} onChange={(event) => write(event.target.value)} className={classNames(controlClass, "font-mono text-[12.5px]")} />;
  }
}
