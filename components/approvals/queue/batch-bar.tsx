"use client";

import Link from "next/link";
import { type KeyboardEvent, useRef, useState } from "react";
import { Button } from "@/components/ui/button";
import { KeepFocus } from "@/components/ui/keep-focus";
import { controlClass } from "@/components/ui/field";
import { isComposing } from "@/components/ui/is-composing";
import { useRefresh } from "@/components/ui/online";
import type { InboxRow } from "@/lib/approvals/queries/list-inbox";
import { type BatchResult, BatchResults, decideOne, type Verdict } from "./batch-result";
import type { Decide } from "@/components/approvals/decide/decision";
import { describeAlike } from "./describe-alike";
import { describeUnseen, isApprovedUnopened } from "./describe-unseen";
import { useWasSeen } from "@/components/approvals/card/seen-cards";
import { UnsentText } from "@/components/approvals/decide/unsent-draft";

/** More are folded; those that were not recorded are always shown. */
const RESULTS_UNFOLDED = 5;

interface Props {
  chosen: readonly InboxRow[];
  /** How many were picked that are no longer in this list, or ask for something else now. */
  gone: number;
  /** Behind the path of a card: the filters. */
  search: string;
  /** How many of this page could be. */
  pickable: number;
  onPickAll: () => void;
  onClear: () => void;
  /** These are no longer to be decided; what was refused, or not reached, stays picked. */
  onSent: (rows: readonly InboxRow[]) => void;
  decide: Decide;
}

interface Progress {
  verdict: Verdict;
  done: number;
  of: number;
}

/** Decides several calls one after the other and shows the result of each. Critical ones cannot be picked at all. */
export function BatchBar({ chosen, gone, search, pickable, onPickAll, onClear, onSent, decide }: Props) {
  const refresh = useRefresh();
  const [progress, setProgress] = useState<Progress | null>(null);
  const [results, setResults] = useState<readonly BatchResult[]>([]);
  const [reason, setReason] = useState<string | null>(null);
  /** How many calls the last batch did not send because it was stopped. */
  const [notSent, setNotSent] = useState(0);
  const [isStopping, setStopping] = useState(false);
  const isStopped = useRef(false);
  const wasSeen = useWasSeen();
  const unseen = chosen.filter((row) => !isApprovedUnopened(row) && !wasSeen(row));
  const ready = chosen.filter((row) => !unseen.includes(row));
  const [next] = unseen;
  const isLeft = reason !== null && chosen.length === 0 && progress === null;
  // Nothing was written: the next pick starts with an empty reason.
  if (isLeft && reason.trim() === "") setReason(null);

  const letStop = (isWanted: boolean) => {
    isStopped.current = isWanted;
    setStopping(isWanted);
  };

  async function run(verdict: Verdict) {
    const rows = verdict === "approved" ? ready : [...chosen];
    const found: BatchResult[] = [];
    letStop(false);
    for (const [done, row] of rows.entries()) {
      if (isStopped.current) break;
      setProgress({ verdict, done, of: rows.length });
      found.push({
        id: row.id,
        name: `${row.server}.${row.tool}: ${row.summary}`,
        ...(await decideOne(decide, row, { verdict, reason: reason?.trim() ?? "" })),
      });
      setResults([...found]);
    }
    setProgress(null);
    setReason(null);
    setNotSent(rows.length - found.length);
    onSent(rows.filter((row) => found.some(({ id, isRecorded }) => isRecorded && id === row.id)));
    refresh();
  }

  /** One step back: out of the reason first, and only then out of the selection. */
  function back() {
    if (reason !== null) return setReason(null);
    setResults([]);
    setNotSent(0);
    onClear();
  }
  /** An accidental Enter must not reject all of them without a reason; the button does. */
  const sendOnEnter = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || isComposing(event.nativeEvent) || !reason?.trim()) return;
    // The focus moves to Stop, which the rest of the same press must not reach.
    event.preventDefault();
    void run("rejected");
  };

  const ends = chosen.filter((row) => row.endsOnReject).length;
  const missed = results.filter((result) => !result.isRecorded);
  // While it is in progress only refusals are shown, so that the queue above does not jump with each call.
  const isFolded = progress !== null || results.length > RESULTS_UNFOLDED;
  if (chosen.length === 0 && results.length === 0 && !reason?.trim()) return null;
  return (
    <section
      data-foot
      aria-label="Selected calls"
      className="max-h-[50dvh] overflow-y-auto border-t border-line-strong bg-panel px-4 py-3 max-tablet:sticky max-tablet:bottom-14"
    >
      <KeepFocus className="grid gap-2">
        <p role="status" className="text-sm font-medium">
          {progress
            ? describeProgress(progress, isStopping)
            : notSent > 0
              ? `Stopped: ${results.length - missed.length} of ${results.length} recorded, ${notSent} not sent`
              : results.length === 0
                ? `${chosen.length} selected`
                : `Done: ${results.length - missed.length} of ${results.length} recorded${chosen.length > 0 ? `; ${chosen.length} selected` : ""}`}
        </p>
        {progress === null ? <Alike chosen={chosen} /> : null}
        {progress === null && reason === null && next ? (
          <p id="batch-unseen" className="text-sm text-ink-2">
            {describeUnseen(unseen, chosen.length)}{" "}
            <Link
              href={`/inbox/${next.id}${search}`}
              prefetch={false}
              className="text-ink underline decoration-line-strong underline-offset-3 hover:decoration-ink"
            >
              {unseen.length === 1 ? "Open it" : "Open the first"}
            </Link>
          </p>
        ) : null}
        {isFolded ? <BatchResults results={missed} /> : <BatchResults results={results} />}
        {isFolded && progress === null ? (
          <details className="text-sm">
            <summary className="w-fit underline decoration-line-strong underline-offset-3 hover:decoration-ink">
              Each of the {results.length}
            </summary>
            <BatchResults results={results} />
          </details>
        ) : null}
        {isLeft ? (
          <UnsentText
            title="None of the selected calls waits here any more, so this was not sent. You had written:"
            text={reason}
          />
        ) : null}
        {gone > 0 && reason !== null && chosen.length > 0 && progress === null ? (
          <p className="text-sm text-medium">{describeGone(gone)}</p>
        ) : null}
        {reason !== null && chosen.length > 0 && progress === null ? (
          <input
            autoFocus
            aria-label="Reason for all of them"
            aria-describedby={ends > 0 ? "batch-ends" : undefined}
            placeholder={ends === 0 ? "Reason, told to the agents" : "Reason, for the record"}
            value={reason}
            maxLength={2000}
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={sendOnEnter}
            className={controlClass}
          />
        ) : null}
        {reason !== null && chosen.length > 0 && progress === null && ends > 0 ? (
          <p id="batch-ends" className="text-sm text-ink-2">
            {describeEnds(ends, chosen.length)}
          </p>
        ) : null}
        <div className="flex flex-wrap gap-2">
          {chosen.length > 0 && progress === null ? (
            <>
              {reason === null ? (
                <Button
                  size="small"
                  variant="primary"
                  disabled={ready.length === 0}
                  aria-describedby={next ? "batch-unseen" : undefined}
                  onClick={() => void run("approved")}
                >
                  Approve {ready.length}
                </Button>
              ) : null}
              <Button
                size="small"
                variant={reason === null ? undefined : "primary"}
                data-key="reject-batch"
                onClick={() => (reason === null ? setReason("") : void run("rejected"))}
              >
                Reject {chosen.length}
                {reason === null ? "…" : ""}
              </Button>
            </>
          ) : null}
          {chosen.length > 0 && chosen.length < pickable && progress === null && reason === null ? (
            <Button size="small" variant="quiet" onClick={onPickAll}>
              Select all {pickable}
            </Button>
          ) : null}
          {progress === null ? (
            <Button size="small" variant="quiet" data-key="escape-batch" onClick={back}>
              {chosen.length === 0 ? "Close" : reason === null ? "Clear" : "Back"}
            </Button>
          ) : null}
          {/* Placed away from the other buttons, so that a second press hits none of them. */}
          {progress ? (
            <Button
              size="small"
              data-key="escape-batch"
              disabled={isStopping}
              onClick={() => letStop(true)}
              className="ml-auto"
            >
              Stop
            </Button>
          ) : null}
        </div>
      </KeepFocus>
    </section>
  );
}

function describeProgress({ verdict, done, of }: Progress, isStopping: boolean): string {
  if (isStopping) return `Stopping after ${done + 1} of ${of}…`;
  return `${verdict === "approved" ? "Approving" : "Rejecting"} ${done + 1} of ${of}…`;
}

function describeGone(gone: number): string {
  return gone === 1
    ? "One more was selected, and is no longer here as it was; nothing is sent for it."
    : `${gone} more were selected, and are no longer here as they were; nothing is sent for them.`;
}

/** Which agents will not read about the rejection, and what it ends. */
function describeEnds(ends: number, of: number): string {
  const others = of - ends;
  const whose =
    others === 0
      ? of === 1
        ? "It ends its step"
        : `All ${of} end their step`
      : `${ends} of ${of} ${ends === 1 ? "ends its step" : "end their step"}`;
  return `${whose}, as a rule with the run, and ${ends === 1 ? "its agent is" : "their agents are"} told nothing.${others === 0 ? "" : ` ${others === 1 ? "The other agent reads" : `The other ${others} agents read`} the reason.`}`;
}

/** The same call several times is more often a mistake than intended. */
function Alike({ chosen }: { chosen: readonly InboxRow[] }) {
  const kinds = Object.values(
    Object.groupBy(chosen, ({ server, tool, argumentsDigest }) => `${server} ${tool} ${argumentsDigest}`),
  ).map((rows) => rows?.length ?? 0);
  const words = describeAlike(kinds);
  return words === null ? null : <p className="text-sm text-medium">{words}</p>;
}
