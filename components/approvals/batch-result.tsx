import Link from "next/link";
import type { InboxRow } from "@/lib/store/queries/list-inbox";
import { type Decide, type DecisionAnswer, decideSafely } from "./decision";
import { wasSeen } from "./seen";

export type Verdict = "approved" | "rejected";

/** What became of one call of a batch. */
export interface BatchResult {
  id: string;
  name: string;
  words: string;
  isRecorded: boolean;
}

export function BatchResults({ results }: { results: readonly BatchResult[] }) {
  if (results.length === 0) return null;
  return (
    <ul className="grid gap-1 text-sm">
      {results.map((result) => (
        <li key={result.id} className="wrap-anywhere">
          <Link href={`/inbox/${result.id}`} className="text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink">{result.name}</Link>: <b className="font-semibold">{result.words}</b>
        </li>
      ))}
    </ul>
  );
}

export async function decideOne(decide: Decide, row: InboxRow, verdict: Verdict, reason: string): Promise<Pick<BatchResult, "words" | "isRecorded">> {
  if (verdict === "approved" && row.danger === "high" && !wasSeen(row.id, row.digest)) return { words: "not approved: its danger is high, and it was not looked at. Open it first.", isRecorded: false };
  const answer = await decideSafely(decide, { approvalId: row.id, digest: row.digest, verdict, ...(reason === "" ? {} : { reason }) });
  return { words: describe(answer), isRecorded: answer.kind === "recorded" };
}

function describe(answer: DecisionAnswer): string {
  switch (answer.kind) {
    case "recorded":
      return answer.status === "pending" ? "approved by you; it waits for others" : answer.status;
    case "not_recorded":
      return `not recorded. ${answer.message}`;
    case "uncertain":
      return `may or may not have been recorded. ${answer.message} Open it to see.`;
  }
}
