"use client";

import { useRef, useState, useTransition } from "react";
import { showLeaving } from "@/components/shell/leaving";
import { Notice } from "@/components/ui/notice";
import { isOnline, useRefresh } from "@/components/ui/online";
import { showToast } from "@/components/ui/toast";
import { useStill } from "@/components/ui/use-still";
import { AnswerNotice } from "./answer-notice";
import { AsideForm } from "./aside-form";
import { CommentField } from "./comment-field";
import { ConfirmForm } from "./confirm-form";
import { useLeft } from "@/components/approvals/card/countdown";
import { type CardActions, type DecisionAnswer, type DecisionRequest, decideSafely, reviewSafely } from "./decision";
import { DecisionButtons } from "./decision-buttons";
import type { DecisionFacts } from "./decision-facts";
import { listEditFields, readForm } from "@/components/approvals/edit/edit-fields";
import { type EditDrafts, EditForm } from "@/components/approvals/edit/edit-form";
import { RejectForm } from "./reject-form";
import { isCardLeft } from "@/components/approvals/queue/queue-place";
import { useMissingParts } from "@/components/approvals/card/seen";
import { describeEdits, type Drafts, NOTHING_WRITTEN, WrittenNote } from "./unsent-draft";

/** For this long after jumping to an unseen argument nothing is approved. */
const GOING_MS = 1_000;

const TOO_SOON = "Nothing was decided: what you see came or changed just now. Press again.";

type Mode = "choose" | "confirm" | "reject" | "edit" | "aside";

interface Props {
  facts: DecisionFacts;
  actions: CardActions;
  answer: DecisionAnswer | null;
  setAnswer: (answer: DecisionAnswer | null) => void;
  drafts: Drafts;
  keep: (change: Partial<Drafts>) => void;
}

/**
 * Another person's approval closes the form for changes, and a confirmation typed for other arguments does not count
 * for these. The buttons are shown again.
 */
function isOutdated({ mode, of }: { mode: Mode; of: string }, facts: DecisionFacts): boolean {
  return (mode === "edit" && facts.edit === null) || (mode === "confirm" && of !== facts.digest);
}

/** Where a person decides. What each button does is shown beside it; a failure stays until the reader dismisses it. */
export function DecisionPanel({ facts, actions, answer, setAnswer, drafts, keep }: Props) {
  const refresh = useRefresh();
  const [wanted, setWanted] = useState<{ mode: Mode; of: string }>({ mode: "choose", of: facts.digest });
  const setMode = (mode: Mode) => setWanted({ mode, of: facts.digest });
  const mode = isOutdated(wanted, facts) ? "choose" : wanted.mode;
  const [isSending, start] = useTransition();
  const [isLost, setLost] = useState(false);
  const isPending = isSending && !isLost;
  const { missing: unseen, isSettled, goToNext } = useMissingParts();
  const wentAt = useRef(-Infinity);
  // A comment that already exists when the card appears does not take the focus from keyboard users.
  const [isCommentOpened, setCommentOpened] = useState(false);
  const left = useLeft(facts.expiresAt, facts.now);
  const isOver = left !== null && left <= 0;
  // What a press would do; another person's change, or seeing the last unseen argument, changes it.
  const meaning = JSON.stringify([facts.digest, facts.rule, facts.confirmWord]);
  const [isCardStill, isApproveStill] = [useStill(meaning), useStill(`${meaning} ${unseen > 0}`)];

  const send = (request: Omit<DecisionRequest, "approvalId" | "digest">) => {
    if (isPending) return;
    if (isCardLeft(facts.approvalId)) return showLeaving();
    // A rejection has a form of its own, which closes with the card that it was opened on.
    if (!isCardStill && request.verdict === "approved") return showToast(TOO_SOON);
    setLost(false);
    start(async () => {
      const said =
        request.verdict === "approved" && drafts.hasComment && drafts.comment.trim()
          ? { comment: drafts.comment.trim() }
          : {};
      const next = await decideSafely(actions.decide, {
        approvalId: facts.approvalId,
        digest: facts.digest,
        ...said,
        ...request,
      });
      // After a lost answer the outcome is unknown until the reader asks for it, or the live connection is back. It is
      // shown at once: a transition would wait for a page that cannot be loaded now.
      if (next.kind === "uncertain") {
        setLost(true);
        return setAnswer(next);
      }
      start(() => {
        setAnswer(next);
        if (next.kind === "not_recorded") return refresh();
        setMode("choose");
        keep(NOTHING_WRITTEN);
      });
    });
  };
  const lookAgain = () => {
    if (isOnline()) setAnswer(null);
    refresh();
  };
  const keepEdit = (fields: EditDrafts) => {
    const { edits } = readForm(listEditFields(facts.edit?.schema ?? null, facts.edit?.arguments), fields);
    keep({ edit: { of: facts.digest, fields, words: describeEdits(edits) } });
  };
  const back = () => setMode("choose");
  const open = (next: Mode) => {
    setAnswer(null);
    setMode(next);
  };
  const comment = () => {
    setCommentOpened(true);
    keep({ hasComment: true });
  };
  const goToUnseen = () => {
    wentAt.current = performance.now();
    goToNext();
  };
  const approve = () => {
    if (unseen > 0 || isOver) return;
    // A press meant to jump to the next unseen argument must not approve when there is none left.
    if (!isApproveStill || performance.now() - wentAt.current < GOING_MS) return showToast(TOO_SOON);
    setAnswer(null);
    if (facts.confirmWord === null) send({ verdict: "approved" });
    else setMode("confirm");
  };

  return (
    <div
      data-still={isCardStill}
      className="grid max-h-[64dvh] grid-cols-[minmax(0,1fr)] gap-3 overflow-y-auto border-t border-line bg-paper px-4 pt-3 pb-[calc(env(safe-area-inset-bottom)+14px)] tablet:px-(--card-edge)"
    >
      {answer ? <AnswerNotice answer={answer} onLookAgain={lookAgain} /> : null}
      {isOver ? (
        <Notice tone="note" title="The time is over">
          Nothing can be decided any more; the page shows in a moment what became of the call.
        </Notice>
      ) : null}
      {mode === "confirm" && facts.confirmWord !== null ? (
        <ConfirmForm
          word={facts.confirmWord}
          isPending={isPending}
          action="Approve"
          onConfirm={(confirm) => send({ verdict: "approved", confirm })}
          onCancel={back}
        />
      ) : null}
      {mode === "reject" ? (
        <RejectForm
          tool={facts.tool}
          presets={facts.presets}
          rule={facts.rule}
          reason={drafts.reason}
          onReason={(reason) => keep({ reason })}
          isPending={isPending}
          onReject={(reason) => send({ verdict: "rejected", ...(reason === "" ? {} : { reason }) })}
          onCancel={back}
        />
      ) : null}
      {mode === "edit" && facts.edit ? (
        <EditForm
          key={facts.digest}
          edit={facts.edit}
          drafts={drafts.edit?.of === facts.digest ? drafts.edit.fields : null}
          onDrafts={keepEdit}
          review={(edits) => reviewSafely(actions.reviewEdit, facts.approvalId, edits)}
          isPending={isPending}
          onApprove={(edits, confirm) => send({ verdict: "approved", edits, ...(confirm ? { confirm } : {}) })}
          onCancel={back}
        />
      ) : null}
      {mode === "aside" ? (
        <AsideForm
          approvalId={facts.approvalId}
          nextHref={facts.nextHref}
          hasExpiry={facts.expiresAt !== null}
          note={drafts.note}
          onNote={(note) => keep({ note })}
          onSet={() => keep({ note: "" })}
          setAside={actions.setAside}
          onCancel={back}
        />
      ) : null}
      {drafts.hasComment && mode !== "reject" && mode !== "aside" ? (
        <CommentField
          autoFocus={isCommentOpened}
          value={drafts.comment}
          onChange={(comment) => keep({ comment })}
          onLeaveOut={() => keep({ hasComment: false })}
        />
      ) : null}
      {mode === "choose" ? <WrittenNote drafts={drafts} /> : null}
      {mode === "choose" ? (
        <DecisionButtons
          facts={facts}
          unseen={unseen}
          isSettled={isSettled}
          isStill={isApproveStill}
          isOver={isOver}
          isPending={isPending}
          hasComment={drafts.hasComment}
          onApprove={approve}
          onGoToUnseen={goToUnseen}
          onOpen={open}
          onComment={comment}
        />
      ) : null}
    </div>
  );
}
