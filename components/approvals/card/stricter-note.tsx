import { Notice } from "@/components/ui/notice";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";

/** That the project's rules are stricter now than when the call was asked about, and what they ask. */
export function StricterNote({ card }: { card: ApprovalCard }) {
  if (card.stricter === null || card.status !== "pending") return null;
  const { refusal, was } = card.stricter;
  if (refusal !== null) {
    return (
      <Notice tone="failed" title="The project's rules refuse this call now">
        <p>{refusal}</p>
        <p>
          {card.edit === null
            ? "It cannot be approved; it can be rejected, or its run cancelled."
            : "As it is it cannot be approved. It can be changed to what they allow, or rejected, or its run cancelled."}
        </p>
      </Notice>
    );
  }
  return (
    <Notice tone="note" title="The project's rule is stricter now than when this was asked">
      <p>
        It needs {describeRule(card)}; when it was asked, {describeRule(was)} was enough. Today's rule holds.
      </p>
    </Notice>
  );
}

function describeRule({ minApprovals, approvers }: { minApprovals: number; approvers: readonly string[] }): string {
  const who = approvers.length > 0 ? approvers.join(" or ") : "any reviewer";
  return minApprovals === 1 ? `one approval by ${who}` : `${minApprovals} approvals by ${who}`;
}
