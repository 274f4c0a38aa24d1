import { RelativeTime } from "@/components/ui/relative-time";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import type { TakeUp } from "@/components/approvals/decide/decision";
import { ShownText } from "./shown-text";
import { TakeUpButton } from "./take-up-button";

/** What people said when they set this call aside. */
export function AsideNotes({ card, takeUp }: { card: ApprovalCard; takeUp: TakeUp }) {
  if (card.setAsides.length === 0) return null;
  return (
    <section aria-labelledby="set-aside" className="grid gap-1.5 rounded-lg border border-line bg-sunken px-3.5 py-2.5">
      <h3 id="set-aside" className="text-sm font-medium text-ink-2">
        Set aside
      </h3>
      <ul className="grid gap-2">
        {card.setAsides.map((aside) => (
          <li key={aside.userId} className="grid gap-0.5 wrap-anywhere">
            {aside.note ? (
              <p className="whitespace-pre-wrap">
                “<ShownText text={aside.note} />”
              </p>
            ) : null}
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-ink-2">
              <span>
                <b className="font-semibold text-ink">{aside.isReader ? "You" : aside.by}</b>,{" "}
                <RelativeTime at={aside.at} now={card.now} />
                {aside.isHeld && card.status === "pending" ? (
                  <>
                    ;{" "}
                    {aside.until ? (
                      <>
                        back <RelativeTime at={aside.until} now={card.now} />
                      </>
                    ) : (
                      "until it changes"
                    )}
                  </>
                ) : null}
              </span>
              {aside.isReader && aside.isHeld && card.status === "pending" ? (
                <TakeUpButton approvalId={card.id} takeUp={takeUp} />
              ) : null}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}
