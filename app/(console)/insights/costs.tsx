import Link from "next/link";
import { type Column, FigureTable } from "@/components/insights/figure-table";
import { Insight } from "@/components/insights/insight";
import { AmountBar } from "@/components/insights/share-bar";
import { describeCost, describeNumber } from "@/components/runs/describe-figures";
import { historyHref, linkClass } from "./addresses";
import type { Insights } from "./load-insights";
import { MoreRows } from "./more-rows";
import type { Period } from "./period";

interface Props {
  insights: Insights;
  period: Period;
}

/** Where money and tokens went. */
export function Costs(props: Props) {
  return (
    <>
      <Workflows {...props} />
      <Models {...props} />
    </>
  );
}

interface Spent {
  costUsd: number;
  tokensIn: number;
  tokensOut: number;
}

function costColumn(items: readonly Spent[]): Column<Spent> {
  const largest = Math.max(0, ...items.map(({ costUsd }) => costUsd));
  return { title: "Cost", renderCell: ({ costUsd }) => <Amount usd={costUsd} largest={largest} /> };
}

const TOKENS: Column<Spent>[] = [
  { title: "Tokens in", isFigure: true, isSecondary: true, renderCell: ({ tokensIn }) => describeNumber(tokensIn) },
  { title: "Tokens out", isFigure: true, isSecondary: true, renderCell: ({ tokensOut }) => describeNumber(tokensOut) },
];

function Workflows({ insights: { workflows }, period }: Props) {
  const title = "Cost and tokens per workflow";
  if (workflows.total === 0)
    return <Insight id="workflow-costs-title" title={title} says="No run was started in these days." />;
  return (
    <Insight
      id="workflow-costs-title"
      title={title}
      says="What the runs started in these days have used up so far, models and tools together. The dearest first."
    >
      <FigureTable<Insights["workflows"]["items"][number]>
        label={title}
        items={workflows.items}
        keyOf={({ name }) => name}
        columns={[
          {
            title: "Workflow",
            renderCell: ({ name }) => (
              <Link href={historyHref(period, { workflow: name })} className={linkClass}>
                {name}
              </Link>
            ),
          },
          costColumn(workflows.items),
          {
            title: "Per run",
            isFigure: true,
            isSecondary: true,
            renderCell: ({ costUsd, runs }) => describeCost(costUsd / runs),
          },
          ...TOKENS,
          { title: "Runs", isFigure: true, renderCell: ({ runs }) => describeNumber(runs) },
          {
            title: "Failed",
            isFigure: true,
            isSecondary: true,
            renderCell: ({ name, failed }) =>
              failed > 0 ? (
                <Link href={historyHref(period, { workflow: name, status: "failed" })} className={linkClass}>
                  {describeNumber(failed)}
                </Link>
              ) : (
                "0"
              ),
          },
        ]}
      />
      <MoreRows shown={workflows.items.length} total={workflows.total} things="workflows" period={period} />
    </Insight>
  );
}

function Models({ insights: { models }, period }: Props) {
  const title = "Cost and tokens per model";
  if (models.total === 0)
    return <Insight id="model-costs-title" title={title} says="No model was asked in these days." />;
  return (
    <Insight
      id="model-costs-title"
      title={title}
      says="What models were paid for in these days, whenever their runs were started; tools are not in it. The dearest first."
    >
      <FigureTable<Insights["models"]["items"][number]>
        label={title}
        items={models.items}
        keyOf={({ name }) => name}
        columns={[
          { title: "Model", renderCell: ({ name }) => <code>{name}</code> },
          costColumn(models.items),
          ...TOKENS,
          { title: "Turns", isFigure: true, renderCell: ({ turns }) => describeNumber(turns) },
        ]}
      />
      <MoreRows shown={models.items.length} total={models.total} things="models" period={period} />
    </Insight>
  );
}

function Amount({ usd, largest }: { usd: number; largest: number }) {
  return (
    <span className="inline-flex items-center gap-3 whitespace-nowrap tabular-nums">
      <span className="tablet:w-16 tablet:text-right">{describeCost(usd)}</span>
      <AmountBar amount={usd} largest={largest} />
    </span>
  );
}
