import { RelativeTime } from "@/components/ui/relative-time";
import type { SeenBefore } from "@/lib/approvals/queries/seen-before";
import { describeDuration } from "./describe-left";
import { joinNames } from "./join-names";

/** How people decided about the same tool lately: facts beside the case, never a recommendation. */
export function SeenBeforeLine({ seen, now }: { seen: SeenBefore; now: string }) {
  if (seen.approved + seen.rejected + seen.expired === 0)
    return <p className="text-ink-2">Nobody has decided about this tool in the last {seen.days} days.</p>;
  return (
    <ul className="flex flex-wrap gap-x-5 gap-y-1 text-ink-2">
      <li>
        <b className="font-semibold text-ink tabular-nums">{seen.approved}</b> approved
      </li>
      <li className="wrap-anywhere">
        <b className="font-semibold text-ink tabular-nums">{seen.rejected}</b> rejected
        {seen.reasons.length > 0 ? ` (${seen.reasons.map((reason) => `“${reason}”`).join(", ")})` : ""}
      </li>
      {seen.expired > 0 ? (
        <li>
          <b className="font-semibold text-ink tabular-nums">{seen.expired}</b> expired
        </li>
      ) : null}
      {seen.medianMs === null ? null : (
        <li>
          usually decided in <b className="font-semibold text-ink tabular-nums">{describeDuration(seen.medianMs)}</b>
        </li>
      )}
      {seen.last ? (
        <li>
          last {seen.last.verdict} by <b className="font-semibold text-ink">{joinNames(seen.last.by)}</b>,{" "}
          <RelativeTime at={seen.last.at} now={now} />
        </li>
      ) : null}
      <li className="text-ink-3">in the last {seen.days} days</li>
    </ul>
  );
}
