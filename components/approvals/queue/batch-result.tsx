import { Fragment } from "react";
import Link from "next/link";
import type { InboxRow } from "@/lib/approvals/queries/list-inbox";
import { type Decide, type DecisionAnswer, decideSafely } from "@/components/approvals/decide/decision";
import { describeProblem } from "@/components/approvals/decide/describe-problem";

export type Verdict = "approved" | "rejected";

/** What became of one call of a batch. */
export interface BatchResult {
  id: string;
  name: string;
  words: string;
  isRecorded: boolean;
}

/** A refusal that several share is shown once. */
export function BatchResults({ results }: { results: readonly BatchResult[] }) {
  if (results.length === 0) return null;
  const groups = [...Map.groupBy(results, ({ id, words, isRecorded }) => (isRecorded ? id : words))];
  return (
    <ul className="grid gap-1 text-sm">
      {groups.map(([key, alike]) => (
        <li key={key} className="wrap-anywhere">
          {alike.map(({ id, name }, place) => (
            <Fragment key={id}>
              {place > 0 ? ", " : ""}
              <Link
                href={`/inbox/${id}`}
                prefetch={false}
                className="text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink"
              >
                {name}
              </Link>
            </Fragment>
          ))}
          : <b className="font-semibold">{alike[0]?.words}</b>
        </li>
      ))}
    </ul>
  );
}

export async function decideOne(
  decide: Decide,
  row: InboxRow,
  { verdict, reason }: { verdict: Verdict; reason: string },
): Promise<Pick<BatchResult, "words" | "isRecorded">> {
  const answer = await decideSafely(decide, {
    approvalId: row.id,
    digest: row.digest,
    verdict,
    ...(reason === "" ? {} : { reason }),
  });
  return { words: describe(answer), isRecorded: answer.kind === "recorded" };
}

function describe(answer: DecisionAnswer): string {
  switch (answer.kind) {
    case "recorded":
      return answer.status === "pending" ? "approved by you; it waits for others" : answer.status;
    case "not_recorded": {
      const { what, more } = describeProblem(answer);
      return ["not recorded", what, ...more.map((sentence) => sentence.replace(/\.$/, ""))].join(". ");
    }
    case "uncertain":
      return `may or may not have been recorded. ${answer.message} Open it to see.`;
  }
}
