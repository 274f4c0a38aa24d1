"use client";

import { useState } from "react";
import { KeepFocus } from "@/components/ui/keep-focus";
import { useRefresh } from "@/components/ui/online";
import { AnswerNotice } from "./answer-notice";
import type { CardActions, DecisionAnswer } from "./decision";
import type { DecisionFacts } from "./decision-facts";
import { DecisionPanel } from "./decision-panel";
import { NextPanel } from "./next-panel";

interface Props {
  /** Null when the reader has nothing to decide. */
  facts: DecisionFacts | null;
  actions: CardActions;
  nextHref: string;
  isDecided: boolean;
}

/** The foot of a card. A refusal outlives the buttons: whoever came too late is told so although there is nothing left to press. */
export function DecisionArea({ facts, actions, nextHref, isDecided }: Props) {
  const refresh = useRefresh();
  const [answer, setAnswer] = useState<DecisionAnswer | null>(null);
  return (
    <KeepFocus>
      {facts ? (
        <DecisionPanel facts={facts} actions={actions} answer={answer} setAnswer={setAnswer} />
      ) : (
        <>
          {answer && answer.kind !== "recorded" ? (
            <div className="border-t border-line bg-paper px-4 pt-3 tablet:px-6">
              <AnswerNotice answer={answer} onLookAgain={refresh} />
            </div>
          ) : null}
          <NextPanel nextHref={nextHref} isDecided={isDecided} />
        </>
      )}
    </KeepFocus>
  );
}
