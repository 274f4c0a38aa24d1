"use client";

import { useEffect, useRef } from "react";
import { Button, stillClass } from "@/components/ui/button";
import { useStill } from "@/components/ui/use-still";
import type { EditPreview } from "@/lib/approvals/view/preview-edit";
import { ConfirmForm } from "@/components/approvals/decide/confirm-form";
import { ShownText } from "@/components/approvals/card/shown-text";

interface Props {
  preview: EditPreview;
  isPending: boolean;
  onApprove: (confirm: string | undefined) => void;
  onBack: () => void;
}

/** Proposed by the agent on one side, what will be sent on the other. */
export function EditReview({ preview: { rows, confirmWord }, isPending, onApprove, onBack }: Props) {
  // A person who presses Enter twice in the form has not read the result.
  const isStill = useStill("review");
  const review = useRef<HTMLDivElement>(null);
  // The panel was scrolled through the form; the review begins at its top.
  useEffect(() => {
    // Newer browsers return a promise, which is not a clean-up function.
    void review.current?.parentElement?.scrollTo({ top: 0 });
  }, []);
  return (
    <div ref={review} className="grid gap-3">
      <table className="w-full table-fixed border-collapse text-left text-sm">
        <caption className="pb-2 text-left text-ink-2">
          These changes fit the tool&rsquo;s schema and the policy. The agent is told that a person made them.
        </caption>
        <thead>
          <tr className="border-b border-line text-ink-3">
            <th scope="col" className="py-1 pr-3 font-medium">
              Argument
            </th>
            <th scope="col" className="py-1 pr-3 font-medium">
              Proposed
            </th>
            <th scope="col" className="py-1 font-medium">
              Effective
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, was, becomes }) => (
            <tr key={name} className="border-b border-line align-top">
              <th scope="row" className="py-1.5 pr-3 font-normal">
                <code className="wrap-anywhere">
                  <ShownText text={name} />
                </code>
              </th>
              <td className="py-1.5 pr-3 text-ink-2">
                <code className="whitespace-pre-wrap wrap-anywhere">
                  <ShownText text={was ?? "not sent"} />
                </code>
              </td>
              <td className="py-1.5">
                <code className="bg-new font-semibold whitespace-pre-wrap wrap-anywhere">
                  <ShownText text={becomes ?? "not sent"} />
                </code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {/* However long the changes are, the buttons stay on the screen, and focusing them hides no change. */}
      <div className="sticky -bottom-3.5 -mx-4 -mb-3.5 border-t border-line bg-paper px-4 py-3 tablet:-mx-6 tablet:px-6">
        {confirmWord === null ? (
          <div className="flex flex-wrap justify-end gap-2">
            <Button data-key="escape" onClick={onBack}>
              Back
            </Button>
            <Button
              variant="primary"
              autoFocus
              aria-disabled={isPending || !isStill || undefined}
              onClick={() => !isPending && isStill && onApprove(undefined)}
              className={isPending ? undefined : stillClass}
            >
              {isPending ? "Recording…" : "Approve with changes"}
            </Button>
          </div>
        ) : (
          <ConfirmForm
            word={confirmWord}
            isPending={isPending}
            action="Approve with changes"
            onConfirm={onApprove}
            onCancel={onBack}
          />
        )}
      </div>
    </div>
  );
}
