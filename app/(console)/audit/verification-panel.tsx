import { Command } from "@/components/ui/command";
import { Notice } from "@/components/ui/notice";
import type { AuditState } from "@/lib/store/queries/get-audit-state";
import { utcTime } from "./utc-time";

const count = new Intl.NumberFormat("en");
const FINDINGS_SHOWN = 5;

function amount(number: number, thing: string): string {
  return `${count.format(number)} ${thing}${number === 1 ? "" : "s"}`;
}

/** What was anchored since: those events are on the trail, and nobody has checked them. */
function describeNewer({ lastAnchor }: AuditState, verified: number): string {
  if (!lastAnchor) return "No anchor yet; the first follows within seconds of the first event.";
  const newer = lastAnchor.seq - verified;
  return newer > 0 ? `${verified > 0 ? "Not verified yet:" : "It has"} ${amount(newer, verified > 0 ? "newer anchor" : "anchor")}, the last of ${utcTime(lastAnchor.at)} UTC.` : "Nothing newer was anchored.";
}

/** What the last verification found, in a sentence; the first bad rows when it found some. */
export function VerificationPanel({ state }: { state: AuditState }) {
  const { verification } = state;
  if (verification && !verification.ok) {
    return (
      <Notice tone="failed" title={`Verification failed: ${count.format(verification.findingsTotal)} ${verification.findingsTotal === 1 ? "row does" : "rows do"} not hold`} className="mx-4 my-3 tablet:mx-6">
        <ul className="grid gap-1">
          {verification.findings.slice(0, FINDINGS_SHOWN).map((finding) => (
            <li key={`${finding.row} ${finding.problem}`}>
              <code className="text-ink wrap-anywhere">{finding.row}</code> {finding.problem}
            </li>
          ))}
        </ul>
        <p>
          Checked {utcTime(new Date(verification.verifiedAt))} UTC. Keep a copy of the database before anything else, and run <code>npx kimitsu audit verify</code> for the whole list.
        </p>
      </Notice>
    );
  }
  return (
    <div className="grid gap-3 border-b border-line px-4 py-3 tablet:flex tablet:items-center tablet:justify-between tablet:px-6">
      <p className="text-ink-2">
        {verification ? (
          <>
            <strong className="font-medium text-ok">Verified</strong> up to{" "}
            <span className="text-ink tabular-nums">{verification.lastAnchorAt ? utcTime(new Date(verification.lastAnchorAt)) : utcTime(new Date(verification.verifiedAt))} UTC</span>:{" "}
            {amount(verification.events, "event")} in {amount(verification.chains, "chain")}, tied together by {amount(verification.anchors, "anchor")}. {describeNewer(state, verification.anchors)}
          </>
        ) : (
          <>
            <strong className="font-medium text-ink">Nobody has verified the trail.</strong> {describeNewer(state, 0)}
          </>
        )}
      </p>
      <div className="shrink-0 tablet:w-84">
        <Command text="npx kimitsu audit verify" />
      </div>
    </div>
  );
}
