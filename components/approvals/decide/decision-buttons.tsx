"use client";

import { Button, stillClass } from "@/components/ui/button";
import { classNames } from "@/components/ui/class-names";
import { Consequences, consequenceId } from "@/components/approvals/card/consequence-list";
import type { DecisionFacts } from "./decision-facts";
import { KeyHint } from "@/components/approvals/queue/key-hint";

interface Props {
  facts: DecisionFacts;
  /** Parts of the call that the reader has not seen yet. */
  unseen: number;
  /** False at first, before the parts were searched for. */
  isSettled: boolean;
  /**
   * False while the card, or what Approve does, appeared or changed so recently that a press was meant for something
   * else.
   */
  isStill: boolean;
  isOver: boolean;
  isPending: boolean;
  hasComment: boolean;
  onApprove: () => void;
  onGoToUnseen: () => void;
  onOpen: (form: "reject" | "edit" | "aside") => void;
  onComment: () => void;
}

/** What can be decided, with what each button does, and why one is disabled. */
export function DecisionButtons({
  facts,
  unseen,
  isSettled,
  isStill,
  isOver,
  isPending,
  hasComment,
  onApprove,
  onGoToUnseen,
  onOpen,
  onComment,
}: Props) {
  const isClosed = isOver || isPending;
  const { isRefusedNow } = facts.rule;
  return (
    <>
      <div className="grid gap-1 max-tablet:hidden">
        <Consequences facts={facts} />
        {hasComment ? null : (
          <button
            type="button"
            data-key="c"
            disabled={isClosed}
            onClick={onComment}
            className="w-fit text-sm text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink"
          >
            Add a comment to the approval <KeyHint letter="C" />
          </button>
        )}
      </div>
      {isRefusedNow ? (
        <p className="text-sm text-ink-2 tablet:hidden">
          Approve is closed: the project&rsquo;s rules refuse this call now.
        </p>
      ) : null}
      {unseen > 0 && isSettled && (!isRefusedNow || facts.edit !== null) ? (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <p id="approve-waits" role="status" className="text-sm text-ink-2">
            {isRefusedNow ? "Edit" : "Approve"} opens {describeUnseen(facts.sight, unseen)}
          </p>
          <Button size="small" data-key="a" onClick={onGoToUnseen}>
            {facts.sight === "seen" ? `Go to the next unseen (${unseen})` : unseen === 1 ? "Show it" : "Show the next"}{" "}
            <KeyHint letter="A" />
          </Button>
        </div>
      ) : null}
      <div className="grid grid-cols-4 gap-2 tablet:flex tablet:flex-wrap tablet:gap-1.5 @max-lg:[&_kbd]:hidden">
        <Button
          data-key="r"
          disabled={isClosed}
          aria-describedby={consequenceId("Reject")}
          onClick={() => onOpen("reject")}
          className="max-tablet:order-2"
        >
          Reject <KeyHint letter="R" />
        </Button>
        <Button
          data-key="e"
          disabled={isClosed || facts.edit === null || unseen > 0}
          aria-describedby={
            facts.editClosed !== null ? consequenceId("Edit") : unseen > 0 ? "approve-waits" : undefined
          }
          onClick={() => onOpen("edit")}
          className="max-tablet:order-3"
        >
          Edit <KeyHint letter="E" />
        </Button>
        <Button
          data-key="n"
          disabled={isPending}
          aria-describedby={consequenceId("Not now")}
          onClick={() => onOpen("aside")}
          className="max-tablet:order-4 max-tablet:px-1"
        >
          Not now <KeyHint letter="N" />
        </Button>
        <Button
          data-key="c"
          variant="quiet"
          disabled={isClosed || hasComment}
          onClick={onComment}
          className="order-5 px-1 tablet:hidden"
        >
          Comment
        </Button>
        <Button
          data-key={unseen > 0 ? undefined : "a"}
          variant="primary"
          disabled={isOver || unseen > 0 || isRefusedNow}
          aria-disabled={isPending || !isStill || undefined}
          aria-describedby={unseen > 0 && !isRefusedNow ? "approve-waits" : consequenceId("Approve")}
          onClick={onApprove}
          className={classNames("max-tablet:order-1 max-tablet:col-span-4 tablet:ml-auto", !isPending && stillClass)}
        >
          {isPending ? "Recording…" : facts.confirmWord === null ? "Approve" : "Approve…"}{" "}
          {unseen > 0 ? null : <KeyHint letter="A" />}
        </Button>
      </div>
    </>
  );
}

function describeUnseen(sight: DecisionFacts["sight"], unseen: number): string {
  if (sight === "seen") return `when all arguments were on the screen; ${unseen} ${unseen === 1 ? "is" : "are"} left.`;
  return unseen === 1 ? "when the folded argument was shown." : `when the ${unseen} folded arguments were shown.`;
}
