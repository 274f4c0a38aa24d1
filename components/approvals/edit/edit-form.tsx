"use client";

import { useEffect, useRef, useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { focusInvalid } from "@/components/ui/focus-invalid";
import { Notice } from "@/components/ui/notice";
import type { ArgumentEdit, EditAnswer } from "@/components/approvals/decide/decision";
import type { DecisionFacts } from "@/components/approvals/decide/decision-facts";
import { EditFieldRow } from "./edit-field-row";
import { type Draft, listEditFields, readForm, toDraft } from "./edit-fields";
import { EditReview } from "./edit-review";

export type EditDrafts = Readonly<Record<string, Draft>>;

interface Props {
  edit: NonNullable<DecisionFacts["edit"]>;
  /** What was written before the form was left; null when nothing was. */
  drafts: EditDrafts | null;
  onDrafts: (drafts: EditDrafts) => void;
  review: (edits: ArgumentEdit[]) => Promise<EditAnswer>;
  isPending: boolean;
  onApprove: (edits: ArgumentEdit[], confirm: string | undefined) => void;
  onCancel: () => void;
}

/**
 * A form made from the tool's schema. Before anything is sent, it shows what was proposed and what would be sent
 * instead.
 */
export function EditForm({ edit, drafts: written, onDrafts, review, isPending, onApprove, onCancel }: Props) {
  const [fields] = useState(() => listEditFields(edit.schema, edit.arguments));
  const drafts = written ?? Object.fromEntries(fields.map((field) => [field.name, toDraft(field)]));
  const [reviewed, setReviewed] = useState<{ edits: ArgumentEdit[]; answer: EditAnswer } | null>(null);
  const [isAsking, ask] = useTransition();
  const [tries, setTries] = useState(0);
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (tries > 0) focusInvalid(form.current);
  }, [tries]);
  const { edits, problems } = readForm(fields, drafts);
  const hasProblems = Object.keys(problems).length > 0;
  const isTried = tries > 0;
  const toReview = () => {
    setTries(tries + 1);
    if (hasProblems || edits.length === 0 || isAsking) return;
    ask(async () => {
      const answer = await review(edits);
      ask(() => setReviewed({ edits, answer }));
    });
  };
  if (reviewed?.answer.kind === "shown") {
    return (
      <EditReview
        preview={reviewed.answer}
        isPending={isPending}
        onApprove={(confirm) => onApprove(reviewed.edits, confirm)}
        onBack={() => setReviewed(null)}
      />
    );
  }
  return (
    <form
      ref={form}
      noValidate
      className="grid gap-3.5"
      onSubmit={(event) => {
        event.preventDefault();
        toReview();
      }}
    >
      {fields.map((field, index) => (
        <EditFieldRow
          key={field.name}
          field={field}
          invisible={edit.invisible.find(({ name }) => name === field.name)}
          isFirst={index === 0}
          draft={drafts[field.name] ?? toDraft(field)}
          problem={isTried ? problems[field.name] : undefined}
          onChange={(draft) => onDrafts({ ...drafts, [field.name]: draft })}
        />
      ))}
      <div role="status" className="empty:hidden">
        {isTried && !hasProblems && edits.length === 0 ? <Notice tone="note" title="Nothing is changed yet" /> : null}
      </div>
      {reviewed?.answer.kind === "not_shown" ? <Notice tone="failed" title={reviewed.answer.message} /> : null}
      {/* However long the form is, its buttons stay on the screen, in the padding of the scrolling panel. */}
      <div className="sticky -bottom-3.5 -mx-4 -mb-3.5 flex flex-wrap justify-end gap-2 border-t border-line bg-paper px-4 py-3 tablet:-mx-6 tablet:px-6">
        <Button data-key="escape" onClick={onCancel}>
          Back
        </Button>
        <Button type="submit" variant="primary" aria-disabled={isAsking || undefined}>
          {isAsking ? "Looking…" : "Review changes"}
        </Button>
      </div>
    </form>
  );
}
