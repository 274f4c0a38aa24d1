import type { Metadata } from "next";
import Link from "next/link";
import { ChangedArguments } from "@/components/runs/changed-arguments";
import { describeDuration } from "@/components/runs/describe-figures";
import { LocalTime } from "@/components/runs/local-time";
import { StatusMark } from "@/components/runs/status-mark";
import type { Mark } from "@/components/runs/run-words";
import { EmptyState } from "@/components/ui/empty-state";
import { Pager } from "@/components/ui/pager";
import { engineDeps } from "@/lib/database/deps";
import { listRunApprovals, type RunApproval } from "@/lib/approvals/queries/list-run-approvals";
import { addressWith, oneText } from "../../../search-params";
import { fingerprintHere, loadRun } from "../load-run";

export const metadata: Metadata = { title: "Approvals" };

const WORDS: Record<RunApproval["status"], { mark: Mark; word: string }> = {
  pending: { mark: "person", word: "Waiting" },
  approved: { mark: "done", word: "Approved" },
  rejected: { mark: "failed", word: "Rejected" },
  expired: { mark: "none", word: "Expired" },
  cancelled: { mark: "none", word: "Withdrawn" },
};

export default async function RunApprovalsPage({ params, searchParams }: PageProps<"/history/[runId]/approvals">) {
  const { run, clock } = await loadRun((await params).runId);
  const cursor = oneText((await searchParams).cursor);
  const page = await listRunApprovals(engineDeps().db, { runId: run.id, cursor, fingerprint: fingerprintHere() });
  const base = `/history/${run.id}/approvals`;
  if (page.items.length === 0) {
    return (
      <EmptyState title="Nobody was asked">
        <p>
          Every call of this run was allowed or denied by the policy alone. The conversation of each step says by which
          rule.
        </p>
      </EmptyState>
    );
  }
  return (
    <>
      <ol aria-label="Approvals, oldest first" className="grid">
        {page.items.map((approval) => (
          <ApprovalRow key={approval.id} approval={approval} runId={run.id} now={clock} />
        ))}
      </ol>
      <Pager
        label="Pages of approvals"
        firstHref={cursor ? base : undefined}
        nextHref={page.nextCursor ? addressWith(base, { cursor: page.nextCursor }) : undefined}
      />
    </>
  );
}

function ApprovalRow({ approval, runId, now }: { approval: RunApproval; runId: string; now: Date }) {
  const lasted = describeDuration((approval.decidedAt ?? now).getTime() - approval.requestedAt.getTime());
  return (
    <li className="grid gap-x-6 gap-y-1 border-b border-line px-4 py-3 tablet:grid-cols-[170px_minmax(0,1fr)_240px] tablet:px-6 print:break-inside-avoid">
      <StatusMark {...WORDS[approval.status]} className="self-start font-medium" />
      <div className="min-w-0">
        <p className="wrap-anywhere">{approval.summary}</p>
        <p className="text-sm text-ink-3">
          <code className="wrap-anywhere">{`${approval.server}.${approval.tool}`}</code> · {approval.danger} ·{" "}
          <Link
            href={`/history/${runId}/steps/${approval.stepId}`}
            className="underline decoration-line-strong underline-offset-3 hover:decoration-ink"
          >
            step {approval.stepKey}
          </Link>
        </p>
        <ul className="text-sm">
          {approval.decisions.map((decision) => (
            <li key={decision.at.toISOString() + decision.name} className="wrap-anywhere">
              <span className="font-medium">
                {decision.name} {decision.verdict}
              </span>
              {decision.viaToken ? ` through token ${decision.viaToken}` : ""} at{" "}
              <LocalTime at={decision.at.toISOString()} />
              {decision.edited ? ", with changed arguments" : ""}
              {decision.reason ? `: “${decision.reason}”` : ""}
              {decision.comment ? `, and said: “${decision.comment}”` : ""}
            </li>
          ))}
        </ul>
        <ChangedArguments changes={approval.changes} />
        {approval.status === "pending" ? (
          <Link
            href={`/inbox/${approval.id}`}
            className="text-sm text-accent underline underline-offset-3 print:hidden"
          >
            Open in the inbox
          </Link>
        ) : null}
      </div>
      <div className="text-sm text-ink-2 tabular-nums tablet:text-right">
        <p>
          asked <LocalTime at={approval.requestedAt.toISOString()} withDate />
        </p>
        <p>
          {approval.status === "pending"
            ? `${lasted} so far, ${approval.approvals} of ${approval.minApprovals}`
            : `after ${lasted}`}
          {approval.approvers.length > 0 ? (
            <span className="text-ink-3"> · {approval.approvers.join(", ")}</span>
          ) : null}
        </p>
      </div>
    </li>
  );
}
