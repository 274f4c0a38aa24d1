import Link from "next/link";
import { Notice } from "@/components/ui/notice";
import { RelativeTime } from "@/components/ui/relative-time";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { joinNames } from "./join-names";

const BECAME: Partial<Record<NonNullable<ApprovalCard["same"]["approved"]>["status"], string>> = {
  approved: "not sent yet",
  executing: "on its way",
  succeeded: "done",
  failed: "failed",
  outcome_unknown: "nobody knows whether it happened",
};

/**
 * Says that the same call was approved already, or waits elsewhere too: a sign of an agent in a loop, or of a run that
 * was started twice.
 */
export function SameCalls({ card: { same, status, now } }: { card: ApprovalCard }) {
  if (status !== "pending" || (same.approved === null && same.waiting === 0)) return null;
  const { approved, waiting } = same;
  return (
    <Notice tone="careful" title={approved ? "Exactly this call was approved before" : others(waiting)}>
      {approved ? (
        <p>
          {approved.by.length > 0 ? `By ${joinNames(approved.by)}, ` : null}
          <RelativeTime at={approved.at} now={now} />, {BECAME[approved.status] ?? approved.status},{" "}
          {approved.isSameRun ? "earlier in " : "in "}
          <Link href={`/history/${approved.runId}`} className="underline underline-offset-3">
            {approved.isSameRun ? "this run" : "another run"}
          </Link>
          . Approving sends it once more.
        </p>
      ) : null}
      {waiting > 0 ? (
        <p>
          {approved ? `${others(waiting)}: the same` : "The same"} tool with the same arguments. If it is to happen
          once, approve one and reject the rest.
        </p>
      ) : null}
    </Notice>
  );
}

function others(count: number): string {
  if (count === 1) return "Another call that waits is exactly like this one";
  return `${count >= 100 ? "100 or more" : count} other calls that wait are exactly like this one`;
}
