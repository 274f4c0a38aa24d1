"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { Notice } from "@/components/ui/notice";
import { AnswerNotice } from "./answer-notice";
import { AsideForm } from "./aside-form";
import { CommentField } from "./comment-field";
import { ConfirmForm } from "./confirm-form";
import { useLeft } from "./countdown";
import { type CardActions, type DecisionAnswer, type DecisionRequest, decideSafely, reviewSafely } from "./decision";
import { DecisionButtons } from "./decision-buttons";
import type { DecisionFacts } from "./decision-facts";
import { type EditDrafts, EditForm } from "./edit-form";
import { RejectForm } from "./reject-form";
import { useMissingParts } from "./seen";

type Mode = "choose" | "confirm" | "reject" | "edit" | "aside";

interface Props {
  facts: DecisionFacts;
  actions: CardActions;
  answer: DecisionAnswer | null;
  setAnswer: (answer: DecisionAnswer | null) => void;
}

/** Where a person decides. What each button does stands beside it; a failure stays here until it is understood. */
export function DecisionPanel({ facts, actions, answer, setAnswer }: Props) {
  const router = useRouter();
  const [wanted, setMode] = useState<Mode>("choose");
  // Another's approval takes the form for changes away; what is left to decide comes back.
  const mode = wanted === "edit" && facts.edit === null ? "choose" : wanted;
  /** Null while nobody wants to say anything. */
  const [comment, setComment] = useState<string | null>(null);
  /** With the digest of the arguments that it changes. */
  const [changes, setChanges] = useState<{ of: string; fields: EditDrafts } | null>(null);
  const [isPending, start] = useTransition();
  const { missing, isSettled } = useMissingParts();
  const left = useLeft(facts.expiresAt, facts.now);
  const isOver = left !== null && left <= 0;
  const unseen = facts.needsSight ? missing : 0;

  const send = (request: Omit<DecisionRequest, "approvalId" | "digest">) => {
    if (isPending) return;
    start(async () => {
      const said = request.verdict === "approved" && comment?.trim() ? { comment: comment.trim() } : {};
      const next = await decideSafely(actions.decide, { approvalId: facts.approvalId, digest: facts.digest, ...said, ...request });
      start(() => {
        setAnswer(next);
        if (next.kind === "recorded") setMode("choose");
        else router.refresh();
      });
    });
  };
  const back = () => setMode("choose");
  const open = (next: Mode) => {
    setAnswer(null);
    setMode(next);
  };
  const approve = () => {
    if (unseen > 0 || isOver) return;
    setAnswer(null);
    if (facts.confirmWord === null) send({ verdict: "approved" });
    else setMode("confirm");
  };

  return (
    <div className="grid max-h-[64dvh] grid-cols-[minmax(0,1fr)] gap-3 overflow-y-auto border-t border-line bg-paper px-4 pt-3 pb-[calc(env(safe-area-inset-bottom)+14px)] tablet:px-6">
      {answer ? <AnswerNotice answer={answer} onLookAgain={() => { setAnswer(null); router.refresh(); }} /> : null}
      {isOver ? <Notice tone="note" title="The time is over">Nothing can be decided any more; the page shows in a moment what became of the call.</Notice> : null}
      {mode === "confirm" && facts.confirmWord !== null ? <ConfirmForm word={facts.confirmWord} isPending={isPending} action="Approve" onConfirm={(confirm) => send({ verdict: "approved", confirm })} onCancel={back} /> : null}
      {mode === "reject" ? <RejectForm tool={facts.tool} presets={facts.presets} rule={facts.rule} isPending={isPending} onReject={(reason) => send({ verdict: "rejected", ...(reason === "" ? {} : { reason }) })} onCancel={back} /> : null}
      {mode === "edit" && facts.edit ? (
        <EditForm key={facts.digest} edit={facts.edit} drafts={changes?.of === facts.digest ? changes.fields : null} onDrafts={(fields) => setChanges({ of: facts.digest, fields })} review={(edits) => reviewSafely(actions.reviewEdit, facts.approvalId, edits)} isPending={isPending} onApprove={(edits, confirm) => send({ verdict: "approved", edits, ...(confirm ? { confirm } : {}) })} onCancel={back} />
      ) : null}
      {mode === "aside" ? <AsideForm approvalId={facts.approvalId} nextHref={facts.nextHref} hasExpiry={facts.expiresAt !== null} setAside={actions.setAside} onCancel={back} /> : null}
      {comment !== null && mode !== "reject" && mode !== "aside" ? <CommentField value={comment} onChange={setComment} onDrop={() => setComment(null)} /> : null}
      {mode === "choose" ? <DecisionButtons facts={facts} unseen={unseen} isSettled={isSettled} isOver={isOver} isPending={isPending} hasComment={comment !== null} onApprove={approve} onOpen={open} onComment={() => setComment("")} /> : null}
    </div>
  );
}
