import { CallCard, type CallFacts } from "./call-card";
import { describeCost, describeDuration, describeNumber } from "./describe-figures";
import { LocalTime } from "./local-time";
import { FoldedText } from "./value-view";

interface Turn {
  number: number;
  model: string;
  asked: readonly string[];
  text: string;
  finishReason: string;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  durationMs: number;
  at: string;
  calls: readonly CallFacts[];
}

const FINISH_WORDS: Readonly<Record<string, string>> = {
  length: "cut at the token limit",
  refused: "the model declined",
};

/** One turn: what was said to the model, what it answered, set apart as its own words, and the calls it asked for. */
export function TurnView({ turn, now }: { turn: Turn; now: string }) {
  return (
    <article aria-label={`Turn ${turn.number}`} className="grid gap-3">
      {turn.asked.map((text, index) => (
        <div key={index} className="grid gap-1 rounded-lg bg-sunken px-3.5 py-2.5">
          <h3 className="text-sm font-medium text-ink-2">{turn.number === 1 ? "Prompt" : "Kimitsu said"}</h3>
          <FoldedText text={text} />
        </div>
      ))}
      <header className="flex flex-wrap items-baseline gap-x-3 border-t border-line pt-3">
        <h3 className="font-semibold">Turn {turn.number}</h3>
        <p className="flex-1 text-sm text-ink-3 tabular-nums">
          {turn.model} · {describeNumber(turn.tokensIn)} in, {describeNumber(turn.tokensOut)} out ·{" "}
          {describeCost(turn.costUsd)} · {describeDuration(turn.durationMs)}
          {FINISH_WORDS[turn.finishReason] ? ` · ${FINISH_WORDS[turn.finishReason]}` : ""}
        </p>
        <span className="text-sm text-ink-3">
          <LocalTime at={turn.at} />
        </span>
      </header>
      {turn.text ? (
        <div className="grid gap-0.5 border-l-2 border-line-strong pl-3.5">
          <p className="text-sm text-ink-3">Written by the model, not checked by Kimitsu</p>
          <FoldedText text={turn.text} />
        </div>
      ) : null}
      {turn.calls.map((call) => (
        <CallCard key={call.id} call={call} now={now} />
      ))}
    </article>
  );
}
