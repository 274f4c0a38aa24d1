import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { RelativeTime } from "@/components/ui/relative-time";
import type { DecisionAnswer, DecisionProblem } from "./decision";
import { describeProblem } from "./describe-problem";

const TITLES: Record<DecisionProblem["why"], string> = {
  expired: "Not recorded: it has expired",
  decided: "Not recorded: someone was quicker",
  decided_by_you: "Not recorded again: you have decided this already",
  run_ended: "Not recorded: the run has ended",
  changed: "Not recorded: the arguments have changed",
  forbidden: "Not recorded: you may not decide this",
  invalid: "Not recorded",
  offline: "Not sent: you are offline",
};

/** What went wrong with a decision. Certain and uncertain failures must never look alike. */
export function AnswerNotice({ answer, onLookAgain }: { answer: DecisionAnswer; onLookAgain: () => void }) {
  if (answer.kind === "recorded") return null;
  if (answer.kind === "uncertain") {
    return (
      <Notice tone="failed" title="Your decision may or may not have been recorded">
        <p>{answer.message} Look again before you decide once more.</p>
        <div>
          <Button size="small" onClick={onLookAgain}>
            Look again
          </Button>
        </div>
      </Notice>
    );
  }
  const { what, at, more } = describeProblem(answer);
  return (
    <Notice tone="failed" title={TITLES[answer.why]}>
      <p className="wrap-anywhere">
        {what}
        {at && answer.first ? (
          <>
            {" "}
            <RelativeTime at={at} now={answer.first.now} />
          </>
        ) : null}
        .
      </p>
      {more.map((sentence) => (
        <p key={sentence} className="wrap-anywhere">
          {sentence}
        </p>
      ))}
    </Notice>
  );
}
