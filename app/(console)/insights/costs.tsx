import Link from "next/link";
import { Insight } from "@/components/insights/insight";
import { AmountBar } from "@/components/insights/share-bar";
import { describeCost, describeNumber } from "@/components/runs/describe-figures";
import { Row, Table, Td, Th } from "@/components/ui/table";
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

const largestOf = (rows: readonly { costUsd: number }[]): number => Math.max(0, ...rows.map(({ costUsd }) => costUsd));

function Workflows({ insights: { workflows }, period }: Props) {
  if (workflows.total === 0) return <Insight id="workflow-costs-title" title="Cost and tokens per workflow" says="No run was started in these days." />;
  const largest = largestOf(workflows.items);
  return (
    <Insight id="workflow-costs-title" title="Cost and tokens per workflow" says="What the runs started in these days have used up so far, models and tools together. The dearest first.">
      <Table
        label="Cost and tokens per workflow"
        head={
          <>
            <Th>Workflow</Th>
            <Th>Cost</Th>
            <Th className="text-right max-tablet:hidden">Per run</Th>
            <Th className="text-right max-tablet:hidden">Tokens in</Th>
            <Th className="text-right max-tablet:hidden">Tokens out</Th>
            <Th className="text-right">Runs</Th>
            <Th className="text-right max-tablet:hidden">Failed</Th>
          </>
        }
      >
        {workflows.items.map((row) => (
          <Row key={row.name} className="hover:bg-sunken/60">
            <Td className="w-full tablet:w-auto">
              <Link href={historyHref(period, { workflow: row.name })} className={`${linkClass} wrap-anywhere`}>
                {row.name}
              </Link>
            </Td>
            <Td>
              <Amount usd={row.costUsd} largest={largest} />
            </Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeCost(row.costUsd / row.runs)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(row.tokensIn)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(row.tokensOut)}</Td>
            <Td className="text-right tabular-nums">{describeNumber(row.runs)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">
              {row.failed > 0 ? (
                <Link href={historyHref(period, { workflow: row.name, status: "failed" })} className={linkClass}>
                  {describeNumber(row.failed)}
                </Link>
              ) : (
                "0"
              )}
            </Td>
          </Row>
        ))}
      </Table>
      <MoreRows shown={workflows.items.length} total={workflows.total} things="workflows" period={period} />
    </Insight>
  );
}

function Models({ insights: { models }, period }: Props) {
  if (models.total === 0) return <Insight id="model-costs-title" title="Cost and tokens per model" says="No model was asked in these days." />;
  const largest = largestOf(models.items);
  return (
    <Insight id="model-costs-title" title="Cost and tokens per model" says="What models were paid for in these days, whenever their runs were started; tools are not in it. The dearest first.">
      <Table
        label="Cost and tokens per model"
        head={
          <>
            <Th>Model</Th>
            <Th>Cost</Th>
            <Th className="text-right max-tablet:hidden">Tokens in</Th>
            <Th className="text-right max-tablet:hidden">Tokens out</Th>
            <Th className="text-right">Turns</Th>
          </>
        }
      >
        {models.items.map((row) => (
          <Row key={row.name} className="hover:bg-sunken/60">
            <Td className="w-full tablet:w-auto">
              <code className="wrap-anywhere">{row.name}</code>
            </Td>
            <Td>
              <Amount usd={row.costUsd} largest={largest} />
            </Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(row.tokensIn)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(row.tokensOut)}</Td>
            <Td className="text-right tabular-nums">{describeNumber(row.turns)}</Td>
          </Row>
        ))}
      </Table>
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
