import Link from "next/link";
import { ChangedArguments } from "@/components/runs/changed-arguments";
import { Notice } from "@/components/ui/notice";
import { RelativeTime } from "@/components/ui/relative-time";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { describeOutcome } from "./describe-outcome";
import { OutcomeInView } from "./outcome-in-view";
import { RefreshWhileMoving } from "./refresh-while";
import { ShownText } from "./shown-text";

/** How it ended, on the same card, and who said what. */
export function CardOutcome({ card }: { card: ApprovalCard }) {
  const outcome = describeOutcome(card);
  return (
    <>
      <OutcomeInView isThere={outcome !== null}>
        {outcome ? (
          <Notice
            tone={outcome.tone}
            title={
              outcome.at === null ? (
                outcome.title
              ) : (
                <>
                  {outcome.title} <RelativeTime at={outcome.at} now={card.now} />
                </>
              )
            }
          >
            {outcome.detail ? <p className="wrap-anywhere">{outcome.detail}</p> : null}
            {card.call.status === "outcome_unknown" ? (
              <p>
                <Link href={`/history/${card.runId}`} className="underline underline-offset-3">
                  Open the run
                </Link>
              </p>
            ) : null}
            {outcome.isMoving ? <div aria-hidden className="working-bar mt-1 h-0.5 rounded-full" /> : null}
          </Notice>
        ) : null}
        {outcome?.isMoving ? <RefreshWhileMoving /> : null}
      </OutcomeInView>
      {outcome && card.call.output !== null ? (
        <section aria-labelledby="result" className="grid gap-2">
          <h3 id="result" className="text-sm font-medium text-ink-2">
            Result <span className="font-normal text-ink-3">as the tool server answered</span>
          </h3>
          <pre
            className="max-h-96 overflow-auto rounded-lg border border-line bg-sunken p-3.5 whitespace-pre-wrap wrap-anywhere"
            tabIndex={0}
          >
            <ShownText text={layOut(card.call.output)} />
          </pre>
        </section>
      ) : null}
      {card.decisions.length > 0 ? <Decisions card={card} /> : null}
    </>
  );
}

/** JSON on one line is hard to read, so it is shown indented. */
function layOut(output: string): string {
  if (!/^\s*[[{]/.test(output)) return output;
  try {
    return JSON.stringify(JSON.parse(output), null, 2);
  } catch {
    return output;
  }
}

function Decisions({ card }: { card: ApprovalCard }) {
  return (
    <section aria-labelledby="decisions" className="grid gap-2">
      <h3 id="decisions" className="text-sm font-medium text-ink-2">
        Decisions{" "}
        {card.minApprovals > 1 ? (
          <span className="font-normal text-ink-3">{`${card.approvals} of ${card.minApprovals} approvals`}</span>
        ) : null}
      </h3>
      <ul className="grid gap-1">
        {card.decisions.map((decision) => (
          <li key={decision.id} className="wrap-anywhere">
            <b className="font-semibold">{decision.by}</b> {decision.verdict}
            {decision.edited ? " with changed arguments" : ""}
            {decision.token ? ` through token ${decision.token}` : ""}
            {decision.reason ? `: “${decision.reason}”` : ""}
            {decision.comment ? `: “${decision.comment}”` : ""}{" "}
            <span className="text-sm text-ink-3">
              <RelativeTime at={decision.at} now={card.now} />
            </span>
          </li>
        ))}
      </ul>
      <ChangedArguments changes={card.changes} />
    </section>
  );
}
