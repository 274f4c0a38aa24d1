"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import { type KeyboardEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { KeepFocus } from "@/components/ui/keep-focus";
import { controlClass } from "@/components/ui/field";
import type { InboxRow } from "@/lib/store/queries/list-inbox";
import { type Decide, type DecisionAnswer, decideSafely } from "./decision";
import { wasSeen } from "./seen";

interface Result {
  id: string;
  name: string;
  words: string;
  isRecorded: boolean;
}

/** More are folded; those that were not recorded are always shown. */
const RESULTS_UNFOLDED = 5;

interface Props {
  chosen: readonly InboxRow[];
  /** How many of this page could be. */
  pickable: number;
  onPickAll: () => void;
  onClear: () => void;
  decide: Decide;
}

type Verdict = "approved" | "rejected";

/** Decides several calls one after the other and tells of each what became of it. Critical ones cannot be picked at all. */
export function BatchBar({ chosen, pickable, onPickAll, onClear, decide }: Props) {
  const router = useRouter();
  const [progress, setProgress] = useState<{ verdict: Verdict; done: number; of: number } | null>(null);
  const [results, setResults] = useState<readonly Result[]>([]);
  const [reason, setReason] = useState<string | null>(null);

  async function run(verdict: Verdict) {
    const rows = [...chosen];
    const found: Result[] = [];
    for (const [done, row] of rows.entries()) {
      setProgress({ verdict, done, of: rows.length });
      found.push({ id: row.id, name: `${row.server}.${row.tool}: ${row.summary}`, ...(await decideOne(decide, row, verdict, reason?.trim() ?? "")) });
      setResults([...found]);
    }
    setProgress(null);
    setReason(null);
    onClear();
    router.refresh();
  }

  /** One step: out of the reason first, and only then out of what was picked. */
  function back() {
    if (reason !== null) return setReason(null);
    setResults([]);
    onClear();
  }
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key === "Enter" && !event.nativeEvent.isComposing) void run("rejected");
  };

  const missed = results.filter((result) => !result.isRecorded);
  // While it goes on only what was refused is told, so that the queue above does not jump with each call.
  const isFolded = progress !== null || results.length > RESULTS_UNFOLDED;
  if (chosen.length === 0 && results.length === 0) return null;
  return (
    <section data-foot aria-label="Selected calls" className="max-h-[50dvh] overflow-y-auto border-t border-line-strong bg-panel px-4 py-3 max-tablet:sticky max-tablet:bottom-14">
      <KeepFocus className="grid gap-2">
        <p role="status" className="text-sm font-medium">
          {progress ? `${progress.verdict === "approved" ? "Approving" : "Rejecting"} ${progress.done + 1} of ${progress.of}…` : chosen.length > 0 ? `${chosen.length} selected` : `Done: ${results.length - missed.length} of ${results.length} recorded`}
        </p>
        {progress === null ? <Alike chosen={chosen} /> : null}
        {isFolded ? <Results results={missed} /> : <Results results={results} />}
        {isFolded && progress === null ? (
          <details className="text-sm">
            <summary className="w-fit underline decoration-line-strong underline-offset-3 hover:decoration-ink">Each of the {results.length}</summary>
            <Results results={results} />
          </details>
        ) : null}
        {reason !== null && progress === null ? (
          <input autoFocus aria-label="Reason for all of them" placeholder="Reason, told to the agents" value={reason} maxLength={2000} onChange={(event) => setReason(event.target.value)} onKeyDown={sendOnEnter} className={controlClass} />
        ) : null}
        <div className="flex flex-wrap gap-2">
          {chosen.length > 0 && progress === null ? (
            <>
              {reason === null ? <Button size="small" variant="primary" onClick={() => void run("approved")}>Approve {chosen.length}</Button> : null}
              <Button size="small" variant={reason === null ? undefined : "primary"} data-key="reject-batch" onClick={() => (reason === null ? setReason("") : void run("rejected"))}>Reject {chosen.length}{reason === null ? "…" : ""}</Button>
            </>
          ) : null}
          {chosen.length > 0 && chosen.length < pickable && progress === null && reason === null ? <Button size="small" variant="quiet" onClick={onPickAll}>Select all {pickable}</Button> : null}
          {progress === null ? <Button size="small" variant="quiet" data-key="escape-batch" onClick={back}>{chosen.length === 0 ? "Close" : reason === null ? "Clear" : "Back"}</Button> : null}
        </div>
      </KeepFocus>
    </section>
  );
}

/** The very same call several times is more often a mistake than a wish. */
function Alike({ chosen }: { chosen: readonly InboxRow[] }) {
  const kinds = Object.values(Object.groupBy(chosen, ({ server, tool, digest }) => `${server} ${tool} ${digest}`)).map((rows) => rows?.length ?? 0);
  const most = Math.max(0, ...kinds);
  if (most < 2) return null;
  return <p className="text-sm text-medium">{most === chosen.length ? `All ${most}` : most} of them are exactly alike: the same tool with the same arguments.</p>;
}

function Results({ results }: { results: readonly Result[] }) {
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

async function decideOne(decide: Decide, row: InboxRow, verdict: Verdict, reason: string): Promise<Pick<Result, "words" | "isRecorded">> {
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
