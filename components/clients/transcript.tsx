import Link from "next/link";
import { CallCard, type CallFacts } from "@/components/runs/call-card";
import { LocalTime } from "@/components/runs/local-time";
import { CALL_WORDS, RUN_WORDS } from "@/components/runs/run-words";
import { StatusDot, StatusMark } from "@/components/runs/status-mark";
import type { RunStatus } from "@/lib/runs/rules/run-state";

export interface TranscriptLine {
  runId: string;
  at: string;
  status: RunStatus;
  error: { code: string; message: string } | null;
  /** Null when the run ended before its call was on record. */
  call: CallFacts | null;
}

/** The calls of a session from the first to the last, each with everything that is known of it. */
export function TranscriptList({ lines, now }: { lines: readonly TranscriptLine[]; now: string }) {
  return (
    <ol aria-label="Calls, in their order" className="grid">
      {lines.map((line) => (
        <li
          key={line.runId}
          className="relative grid grid-cols-[10px_minmax(0,1fr)] gap-x-3 pb-5 not-last:before:absolute not-last:before:top-4 not-last:before:bottom-0 not-last:before:left-1 not-last:before:w-px not-last:before:bg-line tablet:grid-cols-[10px_76px_minmax(0,1fr)]"
        >
          <StatusDot
            mark={line.call ? CALL_WORDS[line.call.status].mark : RUN_WORDS[line.status].mark}
            className="mt-1.25"
          />
          <Link
            href={`/history/${line.runId}`}
            prefetch={false}
            className="h-fit w-fit text-sm text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink max-tablet:pb-1.5"
          >
            <LocalTime at={line.at} />
            <span className="sr-only">, open run {line.runId}</span>
          </Link>
          <div className="min-w-0 max-tablet:col-start-2">
            {line.call ? <CallCard call={line.call} now={now} isOpen /> : <WithoutCall line={line} />}
          </div>
        </li>
      ))}
    </ol>
  );
}

function WithoutCall({ line: { status, error } }: { line: TranscriptLine }) {
  return (
    <p className="flex flex-wrap gap-x-3 text-ink-2">
      <StatusMark {...RUN_WORDS[status]} />
      {error ? <span className="wrap-anywhere">{error.message}</span> : null}
    </p>
  );
}
