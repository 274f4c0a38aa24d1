import Link from "next/link";
import { Insight } from "@/components/insights/insight";
import { describeCount, describeDuration, describeNumber } from "@/components/runs/describe-figures";
import { LocalTime } from "@/components/runs/local-time";
import { DANGER_TONES } from "@/components/tools/tool-words";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { QUICK_MS } from "@/lib/insights/queries/list-quick-approvals";
import { ASKED_MIN } from "@/lib/insights/queries/list-unrejected-rules";
import { auditHref, linkClass, toolHref } from "./addresses";
import { describePeriod } from "./day-name";
import type { Insights } from "./load-insights";
import { MoreRows } from "./more-rows";
import type { Period } from "./period";

interface Props {
  insights: Insights;
  period: Period;
  canAudit: boolean;
}

/** What somebody should check: questions without an answer, approvals that nobody read, and rules that never reject. */
export function Attention(props: Props) {
  return (
    <>
      <Expired {...props} />
      <Quick {...props} />
      <Unrejected {...props} />
    </>
  );
}

function Expired({ insights: { expiries, verdicts }, period, canAudit }: Props) {
  const { expired } = verdicts.whole;
  if (expired === 0)
    return (
      <Insight
        id="expired-title"
        title="Expired without an answer"
        says={`Every call that asked ${describePeriod(period)} was answered in time, or still waits.`}
      />
    );
  return (
    <Insight
      id="expired-title"
      title="Expired without an answer"
      says={
        <>
          {canAudit ? (
            <Link href={auditHref(period, { type: "approval.expired" })} className={linkClass}>
              {describeCount(expired, "call")}
            </Link>
          ) : (
            describeCount(expired, "call")
          )}{" "}
          got no answer in time and {expired === 1 ? "was" : "were"} never sent. Who was asked may be too few people, or
          the time too short.
        </>
      }
    >
      <Table
        label="Expired without an answer"
        head={
          <>
            <Th>Tool</Th>
            <Th>Who was asked</Th>
            <Th className="text-right">Expired</Th>
            <Th className="text-right max-tablet:hidden">Had at least</Th>
            <Th className="text-right max-tablet:hidden">Last</Th>
          </>
        }
      >
        {expiries.map((row) => (
          <Row key={`${row.server} ${row.tool} ${row.approvers.join()}`} className="hover:bg-sunken/60">
            <Td className="w-full tablet:w-auto">
              <Link href={toolHref(row)} className={linkClass}>
                <code className="wrap-anywhere">{`${row.server}.${row.tool}`}</code>
              </Link>
            </Td>
            <Td className="text-ink-2">{row.approvers.length > 0 ? row.approvers.join(", ") : "any reviewer"}</Td>
            <Td className="text-right tabular-nums">{describeNumber(row.expired)}</Td>
            <Td className="text-right whitespace-nowrap tabular-nums max-tablet:hidden">
              {describeDuration(row.shortestMs)}
            </Td>
            <Td className="text-right text-sm text-ink-2 max-tablet:hidden">
              <LocalTime at={row.lastAt.toISOString()} withDate />
            </Td>
          </Row>
        ))}
      </Table>
    </Insight>
  );
}

function Quick({ insights: { quick }, period }: Props) {
  const limit = describeCount(QUICK_MS / 1000, "second");
  if (quick.total === 0)
    return (
      <Insight
        id="quick-title"
        title="Very quick approvals"
        says={`No high or critical call was approved within ${limit} after it asked.`}
      />
    );
  return (
    <Insight
      id="quick-title"
      title="Very quick approvals"
      says={`${describeCount(quick.total, "approval")} of high and critical calls came within ${limit} after the question: sooner than a card can be read. Newest first.`}
    >
      <Table
        label="Very quick approvals"
        head={
          <>
            <Th>Call</Th>
            <Th className="max-tablet:hidden">Danger</Th>
            <Th className="max-tablet:hidden">By</Th>
            <Th className="text-right">After</Th>
            <Th className="text-right max-tablet:hidden">When</Th>
          </>
        }
      >
        {quick.items.map((row) => (
          <Row key={`${row.approvalId} ${row.by}`} className="hover:bg-sunken/60">
            <Td className="w-full tablet:w-auto">
              <Link href={`/inbox/${row.approvalId}`} className={`${linkClass} wrap-anywhere`}>
                {row.summary}
              </Link>
              <code className="block text-ink-3 wrap-anywhere">{`${row.server}.${row.tool}`}</code>
              <span className="block text-sm text-ink-2 tablet:hidden">
                {row.danger}, by {row.by}
              </span>
            </Td>
            <Td className="max-tablet:hidden">
              <Tag tone={DANGER_TONES[row.danger]}>{row.danger}</Tag>
            </Td>
            <Td className="wrap-anywhere max-tablet:hidden">{row.by}</Td>
            <Td className="text-right whitespace-nowrap tabular-nums">{describeDuration(row.tookMs)}</Td>
            <Td className="text-right text-sm text-ink-2 max-tablet:hidden">
              <LocalTime at={row.at.toISOString()} withDate />
            </Td>
          </Row>
        ))}
      </Table>
      <MoreRows shown={quick.items.length} total={quick.total} things="approvals" period={period} />
    </Insight>
  );
}

function Unrejected({ insights: { rules }, period }: Props) {
  const title = "Rules that never rejected";
  if (rules.length === 0)
    return (
      <Insight
        id="rules-title"
        title={title}
        says={`No rule asked at least ${ASKED_MIN} times ${describePeriod(period)} and only got a yes.`}
      />
    );
  return (
    <Insight
      id="rules-title"
      title={title}
      says={`Asked at least ${ASKED_MIN} times and only got a yes. People stop reading what they always approve: let the rule ask less, or not at all.`}
    >
      <Table
        label={title}
        head={
          <>
            <Th>Rule</Th>
            <Th className="max-tablet:hidden">Why it asks</Th>
            <Th className="max-wide:hidden">Tools</Th>
            <Th className="text-right">Approved</Th>
          </>
        }
      >
        {rules.map((rule) => (
          <Row key={`${rule.source} ${rule.tools.join()}`} className="hover:bg-sunken/60">
            <Td className="w-full tablet:w-auto">
              {rule.source ? (
                <code className="wrap-anywhere">{rule.source}</code>
              ) : (
                <span className="text-ink-2">not a line of the project</span>
              )}
              <span className="block text-sm text-ink-3 wrap-anywhere">{rule.agents.join(", ")}</span>
            </Td>
            <Td className="text-ink-2 max-tablet:hidden">{rule.reason}</Td>
            <Td className="max-wide:hidden">
              <code className="text-ink-2 wrap-anywhere">{rule.tools.join(", ")}</code>
            </Td>
            <Td className="text-right tabular-nums">{describeNumber(rule.approved)}</Td>
          </Row>
        ))}
      </Table>
    </Insight>
  );
}
