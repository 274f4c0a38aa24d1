import { KeyFigures } from "@/components/insights/insight";
import { describeShare } from "@/components/insights/share-bar";
import { describeCost, describeCount, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import type { Insights } from "./load-insights";

/** The few figures that summarise it; each is explained further down. */
export function Head({ insights }: { insights: Insights }) {
  const { approved, rejected, expired, p50Ms, p90Ms } = insights.verdicts.whole;
  const decided = approved + rejected;
  const { runs, costUsd } = insights.workflows.sum;
  const { tokensIn, tokensOut } = insights.models.sum;
  return (
    <KeyFigures
      figures={[
        {
          name: "Decided by people",
          value: describeNumber(decided),
          more:
            decided > 0
              ? `${describeNumber(approved)} approved, ${describeNumber(rejected)} rejected`
              : "nothing was decided",
        },
        { name: "Approved", value: decided > 0 ? describeShare(approved, decided) : "–", more: "of what was decided" },
        { name: "Expired", value: describeNumber(expired), more: "without an answer" },
        {
          name: "Time to decide",
          value: p50Ms === null ? "–" : describeDuration(p50Ms),
          more: p90Ms === null ? "nobody decided" : `half; nine of ten in ${describeDuration(p90Ms)}`,
        },
        { name: "Spent", value: describeCost(costUsd), more: `by ${describeCount(runs, "run")}` },
        {
          name: "Tokens",
          value: describeNumber(tokensIn + tokensOut),
          more: `${describeNumber(tokensIn)} in, ${describeNumber(tokensOut)} out`,
        },
      ]}
    />
  );
}
