import Link from "next/link";
import { Insight } from "@/components/insights/insight";
import { ApprovalShare } from "@/components/insights/share-bar";
import { describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { auditHref, linkClass, toolHref } from "./addresses";
import type { Insights } from "./load-insights";
import { MoreRows } from "./more-rows";
import type { Period } from "./period";

interface Props {
  insights: Insights;
  period: Period;
  canAudit: boolean;
}

/** How often people say yes: to which tool, and who. */
export function WhoAndWhat(props: Props) {
  if (props.insights.tools.total === 0) return null;
  return (
    <>
      <Tools {...props} />
      {props.insights.reviewers.total > 0 ? <Reviewers {...props} /> : null}
    </>
  );
}

const duration = (ms: number | null): string => (ms === null ? "–" : describeDuration(ms));

function Tools({ insights: { tools }, period }: Props) {
  return (
    <Insight id="tools-title" title="Approval rate per tool" says="The most asked first. A tool that is always approved may not need the question; one that is often rejected may need a better agent.">
      <Table
        label="Approval rate per tool"
        head={
          <>
            <Th>Tool</Th>
            <Th>Approved</Th>
            <Th className="text-right">Decided</Th>
            <Th className="text-right max-tablet:hidden">Rejected</Th>
            <Th className="text-right max-tablet:hidden">Expired</Th>
            <Th className="text-right max-tablet:hidden">Half within</Th>
            <Th className="text-right max-tablet:hidden">Nine of ten within</Th>
          </>
        }
      >
        {tools.items.map((tool) => (
          <Row key={`${tool.server} ${tool.tool}`} className="hover:bg-sunken/60">
            <Td className="w-full tablet:w-auto">
              <Link href={toolHref(tool)} className={linkClass}>
                <code className="wrap-anywhere">{`${tool.server}.${tool.tool}`}</code>
              </Link>
            </Td>
            <Td>
              <ApprovalShare approved={tool.approved} rejected={tool.rejected} />
            </Td>
            <Td className="text-right tabular-nums">{describeNumber(tool.approved + tool.rejected)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(tool.rejected)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(tool.expired)}</Td>
            <Td className="text-right whitespace-nowrap tabular-nums max-tablet:hidden">{duration(tool.p50Ms)}</Td>
            <Td className="text-right whitespace-nowrap tabular-nums max-tablet:hidden">{duration(tool.p90Ms)}</Td>
          </Row>
        ))}
      </Table>
      <MoreRows shown={tools.items.length} total={tools.total} things="tools" period={period} />
    </Insight>
  );
}

function Reviewers({ insights: { reviewers }, period, canAudit }: Props) {
  return (
    <Insight id="reviewers-title" title="Approval rate per reviewer" says="The busiest first. The time is from the question, not from when the person opened it.">
      <Table
        label="Approval rate per reviewer"
        head={
          <>
            <Th>Person</Th>
            <Th>Approved</Th>
            <Th className="text-right">Decided</Th>
            <Th className="text-right max-tablet:hidden">Very quick</Th>
            <Th className="text-right max-tablet:hidden">Half within</Th>
            <Th className="text-right max-tablet:hidden">Nine of ten within</Th>
          </>
        }
      >
        {reviewers.items.map((person) => (
          <Row key={person.id} className="hover:bg-sunken/60">
            <Td className="w-full wrap-anywhere tablet:w-auto">
              {canAudit ? (
                <Link href={auditHref(period, { type: "approval.decided", actor: person.id })} className={linkClass}>
                  {person.name}
                </Link>
              ) : (
                person.name
              )}
            </Td>
            <Td>
              <ApprovalShare approved={person.approved} rejected={person.rejected} />
            </Td>
            <Td className="text-right tabular-nums">{describeNumber(person.approved + person.rejected)}</Td>
            <Td className="text-right tabular-nums max-tablet:hidden">{describeNumber(person.quick)}</Td>
            <Td className="text-right whitespace-nowrap tabular-nums max-tablet:hidden">{duration(person.p50Ms)}</Td>
            <Td className="text-right whitespace-nowrap tabular-nums max-tablet:hidden">{duration(person.p90Ms)}</Td>
          </Row>
        ))}
      </Table>
      <MoreRows shown={reviewers.items.length} total={reviewers.total} things="people" period={period} />
    </Insight>
  );
}
