"use client";

import { Button } from "@/components/ui/button";
import { ConfirmForm } from "./confirm-form";
import type { ArgumentEdit } from "./decision";
import type { ReadForm } from "./edit-fields";

interface Props {
  edits: ReadForm["edits"];
  confirmWord: string | null;
  isPending: boolean;
  onApprove: (edits: ArgumentEdit[], confirm: string | undefined) => void;
  onBack: () => void;
}

/** Proposed by the agent on one side, what will be sent on the other. */
export function EditReview({ edits, confirmWord, isPending, onApprove, onBack }: Props) {
  const plain = edits.map((edit): ArgumentEdit => ("value" in edit ? { name: edit.name, value: edit.value } : { name: edit.name, remove: true }));
  return (
    <div className="grid gap-3">
      <table className="w-full table-fixed border-collapse text-left text-sm">
        <caption className="pb-2 text-left text-ink-2">These changes are checked by the tool&rsquo;s schema and by the policy, then sent. The agent is told that a person changed them.</caption>
        <thead>
          <tr className="border-b border-line text-ink-3">
            <th scope="col" className="py-1 pr-3 font-medium">Argument</th>
            <th scope="col" className="py-1 pr-3 font-medium">Proposed</th>
            <th scope="col" className="py-1 font-medium">Effective</th>
          </tr>
        </thead>
        <tbody>
          {edits.map((edit) => (
            <tr key={edit.name} className="border-b border-line align-top">
              <th scope="row" className="py-1.5 pr-3 font-normal"><code className="wrap-anywhere">{edit.name}</code></th>
              <td className="py-1.5 pr-3 text-ink-2"><code className="whitespace-pre-wrap wrap-anywhere">{edit.was ?? "not sent"}</code></td>
              <td className="py-1.5"><code className="bg-new font-semibold whitespace-pre-wrap wrap-anywhere">{edit.becomes ?? "not sent"}</code></td>
            </tr>
          ))}
        </tbody>
      </table>
      {confirmWord === null ? (
        <div className="flex flex-wrap justify-end gap-2">
          <Button data-key="escape" onClick={onBack}>
            Back
          </Button>
          <Button variant="primary" autoFocus aria-disabled={isPending || undefined} onClick={() => !isPending && onApprove(plain, undefined)}>
            {isPending ? "Recording…" : "Approve with changes"}
          </Button>
        </div>
      ) : (
        <ConfirmForm word={confirmWord} isPending={isPending} action="Approve with changes" onConfirm={(typed) => onApprove(plain, typed)} onCancel={onBack} />
      )}
    </div>
  );
}
