import { RelativeTime } from "@/components/ui/relative-time";
import { LocalTime } from "./local-time";

export interface ShownAct {
  /** "Cancelled", "Answer accepted". */
  what: string;
  by: string;
  at: string;
  /** How they settled a call. */
  outcome: string | null;
  /** Their own words. */
  said: string | null;
}

/** "Cancelled by Ana 3 min ago: “asked for twice”", with the exact time when it is pointed at, and on paper. */
export function PersonActLine({ act: { what, by, at, outcome, said }, now }: { act: ShownAct; now: string }) {
  return (
    <span className="wrap-anywhere">
      {what} by <span className="font-medium text-ink">{by}</span>{" "}
      <span className="print:hidden">
        <RelativeTime at={at} now={now} />
      </span>
      <span className="hidden print:inline">
        at <LocalTime at={at} withDate />
      </span>
      {outcome ? `: ${outcome}` : ""}
      {said ? `${outcome ? "." : ":"} “${said}”` : ""}
    </span>
  );
}

export function PersonActs({ acts, now, className }: { acts: readonly ShownAct[]; now: string; className?: string }) {
  if (acts.length === 0) return null;
  return (
    <ul className={className}>
      {acts.map((act) => (
        <li key={`${act.at} ${act.what}`}>
          <PersonActLine act={act} now={now} />
        </li>
      ))}
    </ul>
  );
}
