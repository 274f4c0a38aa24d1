"use client";

import { useRouter } from "next/navigation";
import { useState, useTransition } from "react";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { AnswerNotice } from "./answer-notice";
import { AsideForm } from "./aside-form";
import { CommentField } from "./comment-field";
import { ConfirmForm } from "./confirm-form";
import { describeApproval, describeExpiry, describeRejection, type RuleFacts } from "./consequences";
import { useLeft } from "./countdown";
import { type Decide, type DecisionAnswer, type DecisionRequest, decideSafely, type SetAside } from "./decision";
import { EditForm } from "./edit-form";
import { KeyHint } from "./key-hint";
import { RejectForm } from "./reject-form";
import { useMissingParts } from "./seen";

export interface DecisionFacts {
  approvalId: string;
  digest: string;
  tool: string;
  /** High and critical calls are approved only after all of it was on the screen. */
  needsSight: boolean;
  confirmWord: string | null;
  presets: readonly string[];
  rule: RuleFacts;
  edit: { schema: Readonly<Record<string, unknown>> | null; arguments: unknown } | null;
  editable: boolean;
  expiresAt: string | null;
  now: string;
  nextHref: string;
}

type Mode = "choose" | "confirm" | "reject" | "edit" | "aside";

interface Props {
  facts: DecisionFacts;
  decide: Decide;
  setAside: SetAside;
  answer: DecisionAnswer | null;
  setAnswer: (answer: DecisionAnswer | null) => void;
}

/** Where a person decides. What each button does stands beside it; a failure stays here until it is understood. */
export function DecisionPanel({ facts, decide, setAside, answer, setAnswer }: Props) {
  const router = useRouter();
  const [mode, setMode] = useState<Mode>("choose");
  /** Null while nobody wants to say anything. */
  const [comment, setComment] = useState<string | null>(null);
  const [isPending, start] = useTransition();
  const { missing, isSettled } = useMissingParts();
  const left = useLeft(facts.expiresAt, facts.now);
  const isOver = left !== null && left <= 0;
  const isUnseen = facts.needsSight && missing > 0;

  const send = (request: Omit<DecisionRequest, "approvalId" | "digest">) => {
    if (isPending) return;
    start(async () => {
      const said = request.verdict === "approved" && comment?.trim() ? { comment: comment.trim() } : {};
      const next = await decideSafely(decide, { approvalId: facts.approvalId, digest: facts.digest, ...said, ...request });
      start(() => {
        setAnswer(next);
        if (next.kind === "recorded") setMode("choose");
        else router.refresh();
      });
    });
  };
  const back = () => setMode("choose");
  const approve = () => {
    if (isUnseen || isOver) return;
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
        <EditForm schema={facts.edit.schema} args={facts.edit.arguments} confirmWord={facts.confirmWord} isPending={isPending} onApprove={(edits, confirm) => send({ verdict: "approved", edits, ...(confirm ? { confirm } : {}) })} onCancel={back} />
      ) : null}
      {mode === "aside" ? <AsideForm approvalId={facts.approvalId} nextHref={facts.nextHref} hasExpiry={facts.expiresAt !== null} setAside={setAside} onCancel={back} /> : null}
      {comment !== null && mode !== "reject" && mode !== "aside" ? <CommentField value={comment} onChange={setComment} onDrop={() => setComment(null)} /> : null}
      {mode === "choose" ? (
        <>
          <div className="grid gap-1 max-tablet:sr-only">
            <Consequences facts={facts} />
            {comment === null ? (
              <button type="button" data-key="c" disabled={isOver || isPending} onClick={() => setComment("")} className="w-fit text-sm text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink max-tablet:hidden">
                Add a comment to the approval <KeyHint letter="C" />
              </button>
            ) : null}
          </div>
          {isUnseen && isSettled ? <p role="status" className="text-sm text-ink-2">Approve opens when all arguments were on the screen; {missing} {missing === 1 ? "is" : "are"} left. Scroll down and unfold them.</p> : null}
          <div className="grid grid-cols-4 gap-2 tablet:flex">
            <Button data-key="r" disabled={isOver || isPending} onClick={() => { setAnswer(null); setMode("reject"); }} className="max-tablet:order-2">
              Reject <KeyHint letter="R" />
            </Button>
            <Button data-key="e" disabled={isOver || isPending || facts.edit === null || isUnseen} title={facts.editable ? undefined : "The rule does not let reviewers change the arguments"} onClick={() => { setAnswer(null); setMode("edit"); }} className="max-tablet:order-3">
              Edit <KeyHint letter="E" />
            </Button>
            <Button data-key="n" disabled={isPending} onClick={() => { setAnswer(null); setMode("aside"); }} className="max-tablet:order-4 max-tablet:px-1">
              Not now <KeyHint letter="N" />
            </Button>
            <Button data-key="c" variant="quiet" disabled={isOver || isPending || comment !== null} onClick={() => setComment("")} className="order-5 px-1 tablet:hidden">
              Comment
            </Button>
            <Button data-key="a" variant="primary" disabled={isOver || isUnseen} aria-disabled={isPending || undefined} onClick={approve} className="max-tablet:order-1 max-tablet:col-span-4 tablet:ml-auto">
              {isPending ? "Recording…" : facts.confirmWord === null ? "Approve" : "Approve…"} <KeyHint letter="A" />
            </Button>
          </div>
        </>
      ) : null}
    </div>
  );
}

function Consequences({ facts: { rule, confirmWord } }: { facts: DecisionFacts }) {
  return (
    <p className="text-sm text-ink-2 text-pretty max-tablet:sr-only">
      <b className="font-semibold text-ink">Approve</b> {describeApproval(rule)} {confirmWord === null ? "" : "You type a value first. "}
      <b className="font-semibold text-ink">Reject</b> {describeRejection(rule)} <b className="font-semibold text-ink">Not now</b> lets it sink in your queue. {describeExpiry(rule)}
    </p>
  );
}
