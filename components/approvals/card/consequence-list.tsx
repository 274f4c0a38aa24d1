import { type Consequence, listConsequences } from "./consequences";
import type { DecisionFacts } from "@/components/approvals/decide/decision-facts";

type Facts = Pick<DecisionFacts, "rule" | "confirmWord" | "editClosed">;

/** Id by which a button refers to the text that says what it does, whether or not that text is visible. */
export const consequenceId = (button: Consequence["button"]): string =>
  `does-${button === null ? "nothing" : button.toLowerCase().replace(" ", "-")}`;

/** Beside the buttons, where there is room for it. */
export function Consequences({ facts }: { facts: Facts }) {
  return (
    <p className="text-sm text-ink-2 text-pretty">
      {listConsequences(facts).map(({ button, does }) => (
        <span key={button} id={consequenceId(button)}>
          {button ? <b className="font-semibold text-ink">{button}</b> : null} {does}{" "}
        </span>
      ))}
    </p>
  );
}

/** On a phone, at the end of the card: the buttons at its foot leave no room for text. */
export function ConsequenceList({ facts }: { facts: Facts }) {
  const all = listConsequences(facts);
  return (
    <div className="grid gap-1.5 text-sm text-ink-2">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1.5">
        {all
          .filter(({ button }) => button !== null)
          .map(({ button, does }) => (
            <div key={button} className="contents">
              <dt className="font-semibold text-ink">{button}</dt>
              <dd>{does}</dd>
            </div>
          ))}
      </dl>
      {all
        .filter(({ button }) => button === null)
        .map(({ does }) => (
          <p key={does}>{does}</p>
        ))}
    </div>
  );
}
