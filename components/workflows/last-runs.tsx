import Link from "next/link";
import { RUN_WORDS } from "@/components/runs/run-words";
import { StatusDot } from "@/components/runs/status-mark";
import type { RunStatus } from "@/lib/runs/rules/run-state";

/** The last runs as a row of dots, newest at the right; each leads to its run. */
export function LastRuns({ runs, label }: { runs: readonly { id: string; status: RunStatus }[]; label: string }) {
  if (runs.length === 0) return <span className="text-ink-3">none yet</span>;
  return (
    <ul aria-label={label} className="flex items-center max-tablet:flex-wrap">
      {runs.toReversed().map(({ id, status }) => (
        <li key={id} className="relative flex">
          {/* A target of 24 pixels around a dot of ten. */}
          <Link
            href={`/history/${id}`}
            title={RUN_WORDS[status].word}
            className="grid size-6 place-items-center rounded-sm"
          >
            <StatusDot mark={RUN_WORDS[status].mark} />
            <span className="sr-only">
              {RUN_WORDS[status].word}, run {id.slice(-6)}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
