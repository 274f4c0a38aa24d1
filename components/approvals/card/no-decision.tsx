import Link from "next/link";
import { Notice } from "@/components/ui/notice";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";

/** People who cannot decide see why, and who could; a call that nobody can decide says so to everyone. */
export function WhoCould({ card }: { card: ApprovalCard }) {
  const { names, more } = card.deciders;
  const missing = card.minApprovals - card.approvals;
  const people = names.length === 0 ? null : `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  if (names.length + more < missing) {
    const whom = card.approvers.length > 0 ? `of ${card.approvers.join(" or ")}` : "who decides";
    return (
      <Notice
        tone="failed"
        title={
          people === null
            ? "Nobody can decide this call now"
            : `It needs ${missing} more approvals, and only ${people} can give one`
        }
      >
        <p>Whoever started a run cannot decide its calls, and no other active person {whom} is left.</p>
        <p>
          An admin can change that in Settings, under{" "}
          <Link href="/settings/people" className="underline underline-offset-3">
            People
          </Link>{" "}
          and{" "}
          <Link href="/settings/groups" className="underline underline-offset-3">
            Groups
          </Link>
          .
        </p>
      </Notice>
    );
  }
  if (card.decidedByReader) {
    return (
      <Notice
        tone="note"
        title={`You approved it; it waits for ${missing === 1 ? "one more person" : `${missing} more people`}`}
      >
        <p>{people} could decide.</p>
      </Notice>
    );
  }
  if (card.refusal === null) return null;
  return (
    <Notice tone="note" title="You cannot decide this call">
      <p>{card.refusal}</p>
      <p>Those are now: {people}.</p>
    </Notice>
  );
}
