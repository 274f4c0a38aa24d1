import type { ReactNode } from "react";
import { AskingClientPart } from "@/components/clients/asking-client";
import { classNames } from "@/components/ui/class-names";
import { CopyButton } from "@/components/ui/copy-button";
import { RelativeTime } from "@/components/ui/relative-time";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { ArgumentTable } from "./argument-table";
import { CardBar, CardTitle } from "./card-head";
import { ConsequenceList } from "./consequence-list";
import { DANGER_BORDERS } from "./danger";
import { AsideNotes } from "./aside-notes";
import type { CardActions } from "@/components/approvals/decide/decision";
import { DecisionArea } from "@/components/approvals/decide/decision-area";
import { sightOf, toDecisionFacts } from "@/components/approvals/decide/decision-facts";
import { joinNames } from "./join-names";
import { LookingAt } from "./looking";
import { WhoCould } from "./no-decision";
import { CardOutcome } from "./outcome";
import { OpenRun, RunColumn } from "./run-so-far";
import { SameCalls } from "./same-calls";
import { SeenParts } from "./seen";
import { SeenBeforeLine } from "./seen-before";
import { ShownText } from "./shown-text";
import { StricterNote } from "./stricter-note";
import { DefinitionNote, WhyAsked } from "./why-asked";

interface Props {
  card: ApprovalCard;
  /** The reader. */
  userId: string;
  listHref: string;
  nextHref: string;
  /** Whether an admin has paused all calls. */
  isPaused: boolean;
  actions: CardActions;
}

/** One pending call: facts first, then the exact arguments, then what the agent wrote, set apart. */
export function Card({ card, userId, listHref, nextHref, isPaused, actions }: Props) {
  const canDecide = card.status === "pending" && card.refusal === null && !card.decidedByReader;
  const facts = canDecide ? toDecisionFacts(card, { nextHref, isPaused }) : null;
  const sight = sightOf(card);
  const parts = card.arguments
    .filter(({ isLong, isBelow }) => sight === "seen" || isLong || isBelow)
    .map(({ path }) => path);
  return (
    <SeenParts card={card.id} digest={card.digest} parts={parts} sight={sight}>
      <article
        aria-labelledby="card-title"
        className={classNames("flex min-h-0 min-w-0 flex-1 flex-col border-l-3", DANGER_BORDERS[card.danger])}
      >
        {canDecide ? <LookingAt approvalId={card.id} /> : null}
        <CardBar card={card} listHref={listHref} extend={actions.extend} />
        <div className="min-h-0 flex-1 overflow-y-auto max-tablet:overflow-visible" tabIndex={-1}>
          <div className="mx-auto grid max-w-190 grid-cols-[minmax(0,1fr)] gap-5 px-4 py-5 tablet:px-6">
            <CardTitle card={card} />
            <CardOutcome card={card} />
            <StricterNote card={card} />
            <DefinitionNote card={card} />
            {card.status === "pending" ? <WhoCould card={card} /> : null}
            <SameCalls card={card} />
            <AsideNotes card={card} takeUp={actions.takeUp} />
            <WhyAsked card={card} />
            <Arguments card={card} />
            {card.client ? <AskingClientPart client={card.client} now={card.now} /> : null}
            <AgentSays text={card.agentSays} />
            <Part id="seen-before" title="Seen before">
              <SeenBeforeLine seen={card.seen} now={card.now} />
            </Part>
            <details className="border-t border-line pt-3 wide:hidden">
              <summary className="w-fit text-sm font-medium text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink">
                Run so far
              </summary>
              <div className="pt-3">
                <RunColumn run={card.run} thisCallId={card.callId} />
                <p className="pt-3">
                  <OpenRun runId={card.run.id} />
                </p>
              </div>
            </details>
            {facts ? (
              <div className="border-t border-line pt-3 tablet:hidden">
                <Part id="consequences" title="What each button does">
                  <ConsequenceList facts={facts} />
                </Part>
              </div>
            ) : null}
          </div>
        </div>
        <div
          data-foot
          className="@container shrink-0 [--card-edge:max(--spacing(6),calc(50%-var(--spacing)*89))] max-tablet:sticky max-tablet:bottom-0 max-tablet:-mb-[calc(env(safe-area-inset-bottom)+60px)]"
        >
          <DecisionArea
            facts={facts}
            actions={actions}
            approvalId={card.id}
            userId={userId}
            nextHref={nextHref}
            isDecided={card.status !== "pending"}
          />
        </div>
      </article>
    </SeenParts>
  );
}

function whatTheyAre({ status, call }: ApprovalCard): string {
  if (call.executingAt !== null) return "exactly what was sent";
  return status === "pending" || call.status === "approved"
    ? "exactly what will be sent"
    : "exactly what was asked for";
}

function Arguments({ card }: { card: ApprovalCard }) {
  return (
    <Part
      id="arguments"
      title="Arguments"
      note={whatTheyAre(card)}
      aside={
        <span className="flex items-center gap-1">
          <code className="text-ink-3" title={card.digest}>
            sha256 {card.digest.slice(7, 11)}…{card.digest.slice(-4)}
          </code>
          <CopyButton text={card.copyText} what="arguments, redacted" />
        </span>
      }
    >
      <ArgumentTable rows={card.arguments} gone={card.gone} />
      {card.comparedWith ? (
        <p className="text-sm text-ink-3">
          Compared with the last approved call of this tool
          {card.comparedWith.by.length > 0 ? `, by ${joinNames(card.comparedWith.by)}` : ""},{" "}
          <RelativeTime at={card.comparedWith.at} now={card.now} />.
        </p>
      ) : (
        <p className="text-sm text-ink-3">
          No call of this tool was approved before, so there is nothing to compare with.
        </p>
      )}
    </Part>
  );
}

function AgentSays({ text }: { text: string | null }) {
  if (text === null) return null;
  return (
    <Part id="agent-says" title="The agent says">
      <blockquote className="grid gap-1 border-l-2 border-line-strong pl-3.5 text-ink-2">
        <p className="text-sm text-ink-3">Written by the model, not checked by Kimitsu</p>
        <p className="whitespace-pre-wrap wrap-anywhere">
          <ShownText text={text} />
        </p>
      </blockquote>
    </Part>
  );
}

function Part({
  id,
  title,
  note,
  aside,
  children,
}: {
  id: string;
  title: string;
  note?: string;
  aside?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section aria-labelledby={id} className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h3 id={id} className="text-sm font-medium text-ink-2">
          {title} {note ? <span className="font-normal text-ink-3">{note}</span> : null}
        </h3>
        {aside}
      </div>
      {children}
    </section>
  );
}
