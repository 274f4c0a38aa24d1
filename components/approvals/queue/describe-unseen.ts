import type { InboxRow } from "@/lib/approvals/queries/list-inbox";

type Row = Pick<InboxRow, "danger" | "isFolded">;

/**
 * What a row of the queue shows is enough to approve it with others. High ones are looked at first, and what is folded
 * is opened.
 */
export const isApprovedUnopened = ({ danger, isFolded }: Row): boolean => danger !== "high" && !isFolded;

/** Which of those that were picked a batch does not approve yet, and why. */
export function describeUnseen(unseen: readonly Row[], of: number): string {
  const high = unseen.filter(({ danger }) => danger === "high").length;
  const folded = unseen.length - high;
  if (of === 1)
    return high === 1
      ? "Its danger is high, and it was not looked at."
      : "Some of its arguments are folded, and were not shown.";
  const why = [
    ...(high === 0 ? [] : [`${high} of high danger ${high === 1 ? "was" : "were"} not looked at`]),
    ...(folded === 0 ? [] : [`${folded} ${folded === 1 ? "has" : "have"} folded arguments that were not shown`]),
  ];
  return `${unseen.length === of ? "None" : of - unseen.length} of ${of} can be approved; ${why.join(", and ")}.`;
}
