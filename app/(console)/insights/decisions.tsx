import Link from "next/link";
import { FigureTable } from "@/components/insights/figure-table";
import { AsTable, Insight } from "@/components/insights/insight";
import { VerdictChart, type VerdictPart } from "@/components/insights/verdict-chart";
import { WaitChart } from "@/components/insights/wait-chart";
import { describeCount, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { auditHref, linkClass } from "./addresses";
import { describePeriod, shortDay } from "./day-name";
import type { Insights } from "./load-insights";
import type { Period } from "./period";

type Part = VerdictPart & Period["parts"][number];

/** What people decided, and how long they took, part by part of the period. */
export function Decisions({
  period,
  verdicts,
  canAudit,
}: {
  period: Period;
  verdicts: Insights["verdicts"];
  canAudit: boolean;
}) {
  const { whole } = verdicts;
  const parts = period.parts.map((part, index): Part => ({
    ...part,
    ...(verdicts.parts[index] ?? whole),
    name: shortDay(part.day),
  }));
  const total = whole.approved + whole.rejected + whole.expired;
  if (total === 0)
    return (
      <Insight
        id="approvals-title"
        title={`Approvals per ${period.unit}`}
        says={`No call asked for a person and was answered ${describePeriod(period)}.`}
      />
    );
  const says = describeBusiest(parts, period);
  return (
    <div className="grid wide:grid-cols-2 wide:grid-rows-[auto_1fr] wide:border-b wide:border-line">
      <Insight id="approvals-title" title={`Approvals per ${period.unit}`} says={says} isHalf>
        <div className="px-4 tablet:px-6">
          <VerdictChart parts={parts} label={`Bars: ${says}`} />
        </div>
        <AsTable>
          <PartTable parts={parts} unit={period.unit} canAudit={canAudit} />
        </AsTable>
      </Insight>
      <Waits parts={parts} whole={whole} unit={period.unit} />
    </div>
  );
}

function describeBusiest(parts: readonly Part[], period: Period): string {
  const total = (part: Part) => part.approved + part.rejected + part.expired;
  const busiest = parts.reduce((most, part) => (total(part) > total(most) ? part : most));
  const active = parts.filter((part) => total(part) > 0).length;
  const when = period.unit === "week" ? `The busiest week, from ${busiest.name},` : `The busiest day, ${busiest.name},`;
  return `Calls were settled on ${active} of ${describeCount(parts.length, period.unit)}. ${when} had ${describeNumber(total(busiest))}.`;
}

function Waits({ parts, whole, unit }: { parts: readonly Part[]; whole: Insights["verdicts"]["whole"]; unit: string }) {
  const isKnown = whole.p50Ms !== null && whole.p90Ms !== null;
  const says = isKnown
    ? `Half of the calls waited for their decision at most ${describeDuration(whole.p50Ms ?? 0)}, and nine of ten at most ${describeDuration(whole.p90Ms ?? 0)}.`
    : "Nobody decided a call in these days, so there is no time to show.";
  return (
    <Insight id="waits-title" title="Time to decide" says={says} isHalf>
      {isKnown ? (
        <>
          <div className="px-4 tablet:px-6">
            <WaitChart parts={parts} label={`Dots and rings on a scale that grows by factors: ${says}`} />
          </div>
          <AsTable>
            <WaitTable parts={parts} unit={unit} />
          </AsTable>
        </>
      ) : null}
    </Insight>
  );
}

const unitHead = (unit: string): string => (unit === "week" ? "Week from" : "Day");

function PartTable({ parts, unit, canAudit }: { parts: readonly Part[]; unit: string; canAudit: boolean }) {
  return (
    <FigureTable
      label={`Approvals per ${unit}`}
      items={parts}
      keyOf={({ day }) => day}
      isDense
      columns={[
        {
          title: unitHead(unit),
          renderCell: (part) =>
            canAudit ? (
              <Link href={auditHref(part, { type: "approval" })} className={linkClass}>
                {part.name}
              </Link>
            ) : (
              part.name
            ),
        },
        { title: "Approved", isFigure: true, renderCell: ({ approved }) => describeNumber(approved) },
        { title: "Rejected", isFigure: true, renderCell: ({ rejected }) => describeNumber(rejected) },
        { title: "Expired", isFigure: true, renderCell: ({ expired }) => describeNumber(expired) },
      ]}
    />
  );
}

function WaitTable({ parts, unit }: { parts: readonly Part[]; unit: string }) {
  const duration = (ms: number | null): string => (ms === null ? "–" : describeDuration(ms));
  return (
    <FigureTable
      label={`Time to decide per ${unit}`}
      items={parts}
      keyOf={({ day }) => day}
      isDense
      columns={[
        { title: unitHead(unit), renderCell: ({ name }) => name },
        { title: "Half within", isFigure: true, renderCell: ({ p50Ms }) => duration(p50Ms) },
        { title: "Nine of ten within", isFigure: true, renderCell: ({ p90Ms }) => duration(p90Ms) },
      ]}
    />
  );
}
