import Link from "next/link";
import { type Column, FigureTable } from "@/components/insights/figure-table";
import { Insight } from "@/components/insights/insight";
import { ApprovalShare } from "@/components/insights/share-bar";
import { describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { auditHref, linkClass, toolHref } from "./addresses";
import type { Insights } from "./load-insights";
import { MoreRows } from "./more-rows";
import type { Period } from "./period";

interface Props {
  insights: Insights;
  period: Period;
  canAudit: boolean;
}

/** How often people approve: by tool and by person. */
export function WhoAndWhat(props: Props) {
  if (props.insights.tools.total === 0) return null;
  return (
    <>
      <Tools {...props} />
      {props.insights.reviewers.total > 0 ? <Reviewers {...props} /> : null}
    </>
  );
}

interface Decided {
  approved: number;
  rejected: number;
  p50Ms: number | null;
  p90Ms: number | null;
}

const duration = (ms: number | null): string => (ms === null ? "–" : describeDuration(ms));

const SHARE: Column<Decided>[] = [
  {
    title: "Approved",
    renderCell: ({ approved, rejected }) => <ApprovalShare approved={approved} rejected={rejected} />,
  },
  { title: "Decided", isFigure: true, renderCell: ({ approved, rejected }) => describeNumber(approved + rejected) },
];
const TIMES: Column<Decided>[] = [
  { title: "Half within", isFigure: true, isSecondary: true, renderCell: ({ p50Ms }) => duration(p50Ms) },
  { title: "Nine of ten within", isFigure: true, isSecondary: true, renderCell: ({ p90Ms }) => duration(p90Ms) },
];

function Tools({ insights: { tools }, period }: Props) {
  const title = "Approval rate per tool";
  return (
    <Insight
      id="tools-title"
      title={title}
      says="The most asked first. A tool that is always approved may not need the question; one that is often rejected may need a better agent."
    >
      <FigureTable<Insights["tools"]["items"][number]>
        label={title}
        items={tools.items}
        keyOf={({ server, tool }) => `${server} ${tool}`}
        columns={[
          {
            title: "Tool",
            renderCell: (tool) => (
              <Link href={toolHref(tool)} className={linkClass}>
                <code>{`${tool.server}.${tool.tool}`}</code>
              </Link>
            ),
          },
          ...SHARE,
          {
            title: "Rejected",
            isFigure: true,
            isSecondary: true,
            renderCell: ({ rejected }) => describeNumber(rejected),
          },
          { title: "Expired", isFigure: true, isSecondary: true, renderCell: ({ expired }) => describeNumber(expired) },
          ...TIMES,
        ]}
      />
      <MoreRows shown={tools.items.length} total={tools.total} things="tools" period={period} />
    </Insight>
  );
}

function Reviewers({ insights: { reviewers }, period, canAudit }: Props) {
  const title = "Approval rate per reviewer";
  return (
    <Insight
      id="reviewers-title"
      title={title}
      says="The busiest first. The time is from the question, not from when the person opened it."
    >
      <FigureTable<Insights["reviewers"]["items"][number]>
        label={title}
        items={reviewers.items}
        keyOf={({ id }) => id}
        columns={[
          {
            title: "Person",
            renderCell: ({ id, name }) =>
              canAudit ? (
                <Link href={auditHref(period, { type: "approval.decided", actor: id })} className={linkClass}>
                  {name}
                </Link>
              ) : (
                name
              ),
          },
          ...SHARE,
          { title: "Very quick", isFigure: true, isSecondary: true, renderCell: ({ quick }) => describeNumber(quick) },
          ...TIMES,
        ]}
      />
      <MoreRows shown={reviewers.items.length} total={reviewers.total} things="people" period={period} />
    </Insight>
  );
}
