import type { Metadata } from "next";
import Link from "next/link";
import { OutcomePatterns } from "@/components/insights/verdict-fill";
import { KeepZone } from "@/components/shell/keep-zone";
import { buttonClass } from "@/components/ui/button";
import { BehindNotice } from "@/components/ui/behind-notice";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageBar } from "@/components/ui/page-bar";
import { can, requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { getProjectionLag } from "@/lib/runs/queries/get-projection-lag";
import { readerZone } from "../reader-zone";
import { oneText } from "../search-params";
import { Attention } from "./attention";
import { Costs } from "./costs";
import { Decisions } from "./decisions";
import { Head } from "./head";
import { loadInsights } from "./load-insights";
import { type Period, readPeriod } from "./period";
import { PeriodPicker } from "./period-picker";
import { WhoAndWhat } from "./who-and-what";

export const metadata: Metadata = { title: "Insights" };

const ROWS = 15;
/** Nobody reads further; the export of the trail has everything. */
const ROWS_MAX = 500;

export default async function InsightsPage({ searchParams }: PageProps<"/insights">) {
  await requirePermission("runs:read");
  const session = await requirePermission("approvals:read");
  const params = await searchParams;
  const zone = await readerZone();
  const { db, now } = engineDeps();
  const { period, problems } = readPeriod(params, { now: now(), zone });
  const showsAll = oneText(params.rows) === "all";
  const insights = await loadInsights(db, period, showsAll ? ROWS_MAX : ROWS);
  const { whole } = insights.verdicts;
  const isEmpty =
    whole.approved + whole.rejected + whole.expired === 0 &&
    insights.workflows.total === 0 &&
    insights.models.total === 0;
  return (
    <>
      <PageBar title="Insights" />
      <PeriodPicker period={period} zone={zone} />
      {problems.map((problem) => (
        <Notice key={problem} tone="failed" title={problem} className="mx-4 my-3 tablet:mx-6" />
      ))}
      <BehindNotice {...await getProjectionLag(db, now())} />
      {isEmpty ? (
        <NothingYet period={period} />
      ) : (
        <>
          <OutcomePatterns />
          <Head insights={insights} />
          <Decisions period={period} verdicts={insights.verdicts} canAudit={can(session, "audit:read")} />
          <WhoAndWhat insights={insights} period={period} canAudit={can(session, "audit:read")} />
          <Attention insights={insights} period={period} canAudit={can(session, "audit:read")} />
          <Costs insights={insights} period={period} />
        </>
      )}
      <KeepZone zone={zone} />
    </>
  );
}

function NothingYet({ period }: { period: Period }) {
  return (
    <EmptyState
      title="Nothing happened in these days"
      next={
        <div className="flex flex-wrap gap-2">
          {period.choice === "90" ? null : (
            <Link href="/insights?days=90" className={buttonClass({}, "hover:bg-sunken")}>
              Look at 90 days
            </Link>
          )}
          <Link href="/workflows" className={buttonClass({}, "hover:bg-sunken")}>
            Start a workflow
          </Link>
        </div>
      }
    >
      <p>
        Once runs have asked for people, this page shows what they approved and rejected, how long calls waited for
        them, and where money went.
      </p>
    </EmptyState>
  );
}
