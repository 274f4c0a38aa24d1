import type { ReactNode } from "react";
import { LocalTime } from "@/components/runs/local-time";
import { Command } from "@/components/ui/command";
import { Notice } from "@/components/ui/notice";
import { RelativeTime } from "@/components/ui/relative-time";
import type { AuditState } from "@/lib/audit/queries/get-audit-state";

const count = new Intl.NumberFormat("en");
const FINDINGS_SHOWN = 5;

function amount(number: number, thing: string): string {
  return `${count.format(number)} ${thing}${number === 1 ? "" : "s"}`;
}

function When({ at, now }: { at: string; now: string }) {
  return (
    <>
      <LocalTime at={at} withDate /> (<RelativeTime at={at} now={now} />)
    </>
  );
}

/** What was anchored since then: those events are on the trail, but not verified yet. */
function Newer({
  state: { lastAnchor },
  verified,
  now,
}: {
  state: AuditState;
  verified: number;
  now: string;
}): ReactNode {
  if (!lastAnchor) return "No anchor yet; the first follows within seconds of the first event.";
  const newer = lastAnchor.seq - verified;
  if (newer <= 0) return "Nothing newer was anchored.";
  return (
    <>
      {verified > 0 ? "Not verified yet:" : "It has"} {amount(newer, verified > 0 ? "newer anchor" : "anchor")}, the
      last of <When at={lastAnchor.at.toISOString()} now={now} />.
    </>
  );
}

/** What the last verification found, in a sentence; the first bad rows when it found some. */
export function VerificationPanel({ state, now }: { state: AuditState; now: string }) {
  const { verification } = state;
  if (verification && !verification.ok) {
    return (
      <Notice
        tone="failed"
        title={`Verification failed: ${count.format(verification.findingsTotal)} ${verification.findingsTotal === 1 ? "row does" : "rows do"} not hold`}
        className="mx-4 my-3 tablet:mx-6"
      >
        <ul className="grid gap-1">
          {verification.findings.slice(0, FINDINGS_SHOWN).map((finding) => (
            <li key={`${finding.row} ${finding.problem}`}>
              <code className="text-ink wrap-anywhere">{finding.row}</code> {finding.problem}
            </li>
          ))}
        </ul>
        <p>
          Checked <When at={verification.verifiedAt} now={now} />. Keep a copy of the database before anything else, and
          run <code>npx kimitsu audit verify</code> for the whole list.
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
            <span className="text-ink">
              <When at={verification.lastAnchorAt ?? verification.verifiedAt} now={now} />
            </span>
            : {amount(verification.events, "event")} in {amount(verification.chains, "chain")}, tied together by{" "}
            {amount(verification.anchors, "anchor")}. <Newer state={state} verified={verification.anchors} now={now} />
          </>
        ) : (
          <>
            <strong className="font-medium text-ink">Nobody has verified the trail.</strong>{" "}
            <Newer state={state} verified={0} now={now} />
          </>
        )}
      </p>
      <div className="shrink-0 tablet:w-84">
        <Command text="npx kimitsu audit verify" />
      </div>
    </div>
  );
}
