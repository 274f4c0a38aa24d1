/** Runs that need this person outside the inbox; only for what they may do. */
export interface Needs {
  review: number;
  settle: number;
  /** A run may need both. */
  either: number;
}

interface DescribedNeeds {
  count: number;
  words: string;
  /** What exactly they wait for. */
  sentence: string;
  /** Where exactly these are listed. */
  href: string;
}

const KINDS = {
  review: { words: "to review", status: "to_review", sentence: "an answer that someone must see first" },
  settle: { words: "to settle", status: "to_settle", sentence: "a call of which nobody knows whether it happened" },
  either: {
    words: "to review or settle",
    status: "to_review_or_settle",
    sentence: "an answer to review, or a call of which nobody knows whether it happened",
  },
} as const;

export function describeNeeds({ review, settle, either }: Needs): DescribedNeeds | null {
  if (either === 0) return null;
  const { words, status, sentence } = KINDS[settle === 0 ? "review" : review === 0 ? "settle" : "either"];
  return { count: either, words, sentence, href: `/history?status=${status}` };
}
