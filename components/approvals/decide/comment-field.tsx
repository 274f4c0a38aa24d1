"use client";

import { Button } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { controlClass } from "@/components/ui/field";

const LENGTH_MAX = 2000;

/** Entered with an approval: it is recorded with it, and the agent never reads it. */
export function CommentField({
  autoFocus,
  value,
  onChange,
  onLeaveOut,
}: {
  autoFocus: boolean;
  value: string;
  onChange: (text: string) => void;
  onLeaveOut: () => void;
}) {
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center justify-between gap-3">
        <label htmlFor="approve-comment" className="text-sm font-medium text-ink-2">
          Comment with the approval <span className="font-normal text-ink-3">for the record, not for the agent</span>
        </label>
        <Button size="small" variant="quiet" data-key="escape" onClick={onLeaveOut}>
          Leave out
        </Button>
      </div>
      <textarea
        id="approve-comment"
        autoFocus={autoFocus}
        rows={2}
        maxLength={LENGTH_MAX}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={classNames(controlClass, "h-auto py-1.5 max-tablet:h-auto")}
      />
    </div>
  );
}
