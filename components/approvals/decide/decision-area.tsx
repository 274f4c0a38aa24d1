"use client";

import { useCallback, useEffect, useState } from "react";
import { KeepFocus } from "@/components/ui/keep-focus";
import { useRefresh } from "@/components/ui/online";
import { AnswerNotice } from "./answer-notice";
import type { CardActions, DecisionAnswer } from "./decision";
import type { DecisionFacts } from "./decision-facts";
import { DecisionPanel } from "./decision-panel";
import { stopKeeping, useKeptWords } from "./kept-words";
import { NextPanel } from "./next-panel";
import { type Drafts, UnsentDraft } from "./unsent-draft";

interface Props {
  /** Null when the reader has nothing to decide. */
  facts: DecisionFacts | null;
  actions: CardActions;
  approvalId: string;
  /** The reader. */
  userId: string;
  nextHref: string;
  isDecided: boolean;
}

/**
 * The foot of a card. A refusal and unsent text outlive the buttons: a person who decided too late sees that although
 * there is nothing left to press.
 */
export function DecisionArea({ facts, actions, approvalId, userId, nextHref, isDecided }: Props) {
  const refresh = useRefresh();
  const [answer, setAnswer] = useState<DecisionAnswer | null>(null);
  const [words, keepWords] = useKeptWords(userId, approvalId);
  const [edit, setEdit] = useState<Drafts["edit"]>(null);
  const keep = useCallback(
    ({ edit: changed, ...change }: Partial<Drafts>) => {
      if (changed !== undefined) setEdit(changed);
      keepWords(change);
    },
    [keepWords],
  );
  const drafts = { ...words, edit };
  const isOver = facts === null;
  useEffect(() => {
    if (isOver) stopKeeping(userId, approvalId);
  }, [isOver, userId, approvalId]);
  return (
    <KeepFocus>
      {facts ? (
        <DecisionPanel
          facts={facts}
          actions={actions}
          answer={answer}
          setAnswer={setAnswer}
          drafts={drafts}
          keep={keep}
        />
      ) : (
        <>
          <div className="grid gap-3 border-t border-line bg-paper px-4 py-3 empty:hidden tablet:px-(--card-edge)">
            {answer && answer.kind !== "recorded" ? <AnswerNotice answer={answer} onLookAgain={refresh} /> : null}
            <UnsentDraft drafts={drafts} />
          </div>
          <NextPanel nextHref={nextHref} isDecided={isDecided} />
        </>
      )}
    </KeepFocus>
  );
}
