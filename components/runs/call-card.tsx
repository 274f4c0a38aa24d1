import Link from "next/link";
import { ChevronRight } from "lucide-react";
import { CopyButton } from "@/components/ui/copy-button";
import { RelativeTime } from "@/components/ui/relative-time";
import { Tag, type Tone } from "@/components/ui/tag";
import type { CallStatus } from "@/lib/runs/rules/call-state";
import { ChangedArguments } from "./changed-arguments";
import { describeCost, describeDuration } from "./describe-figures";
import { PersonActs, type ShownAct } from "./person-act";
import { CALL_WORDS } from "./run-words";
import { StatusMark } from "./status-mark";
import { FoldedText, printValue, ValueView } from "./value-view";

export interface CallFacts {
  id: string;
  server: string;
  tool: string;
  status: CallStatus;
  danger: string;
  summary: string;
  arguments: unknown;
  changes: readonly { path: string; proposed: string | null; effective: string | null }[];
  result: { output: string; structured: unknown; isError: boolean } | null;
  error: { code: string; message: string } | null;
  digest: string;
  reasons: readonly { layer: string; outcome: string; reason: string; source: string | null }[];
  approvalId: string | null;
  decidedBy: readonly {
    name: string;
    verdict: string;
    at: Date;
    reason: string | null;
    comment: string | null;
    edited: boolean;
  }[];
  /** How people settled it. */
  acts: readonly ShownAct[];
  durationMs: number | null;
  unsettledMs: number | null;
  costUsd: number;
}

const TONES: Readonly<Record<string, Tone>> = { critical: "critical", high: "high", medium: "medium" };

/** One call: what was asked, why it was allowed, asked or refused, who decided, and what came back. */
export function CallCard({ call, now, isOpen = false }: { call: CallFacts; now: string; isOpen?: boolean }) {
  const { word, mark } = CALL_WORDS[call.status];
  const outcome = call.error && call.status !== "succeeded" ? call.error.message : null;
  return (
    <details
      open={isOpen || mark === "failed" || mark === "person"}
      className="group rounded-lg border border-line bg-panel print:break-inside-avoid"
    >
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2 hover:bg-sunken/60">
        <ChevronRight aria-hidden className="size-4 text-ink-3 transition-transform group-open:rotate-90" />
        <code className="wrap-anywhere">{`${call.server}.${call.tool}`}</code>
        {call.danger === "safe" || call.danger === "low" ? null : <Tag tone={TONES[call.danger]}>{call.danger}</Tag>}
        <StatusMark mark={mark} word={word} className="text-sm text-ink-2" />
        <span className="ml-auto text-sm text-ink-3 tabular-nums">
          {[
            ...(call.durationMs === null ? [] : [describeDuration(call.durationMs)]),
            ...(call.unsettledMs === null ? [] : [`settled after ${describeDuration(call.unsettledMs)}`]),
            ...(call.costUsd > 0 ? [describeCost(call.costUsd)] : []),
          ].join(" · ")}
        </span>
        {call.summary ? <span className="w-full pl-7 text-sm text-ink-2 wrap-anywhere">{call.summary}</span> : null}
      </summary>
      <div className="grid gap-4 border-t border-line px-3.5 py-3">
        <Part
          title="Arguments"
          aside={
            <>
              <code className="font-normal text-ink-3" title={call.digest}>
                sha256 {short(call.digest)}
              </code>
              <CopyButton text={call.digest} what="digest" small />
            </>
          }
          copied={{ text: printValue(call.arguments), what: "arguments, redacted" }}
        >
          <ValueView value={call.arguments} />
          <ChangedArguments changes={call.changes} />
        </Part>
        {call.reasons.length > 0 ? (
          <Part title="Policy">
            <ul className="grid gap-1 text-sm">
              {call.reasons.map((reason, index) => (
                <li key={index} className="flex flex-wrap gap-x-3">
                  <span className="min-w-0 grow basis-60 wrap-anywhere">
                    <span className="font-medium">{reason.outcome}</span> {reason.reason}
                  </span>
                  <code className="text-ink-3 wrap-anywhere">{reason.source ?? reason.layer}</code>
                </li>
              ))}
            </ul>
          </Part>
        ) : null}
        <People call={call} now={now} />
        {call.result || outcome ? (
          <Part
            title={call.result?.isError || outcome ? "What went wrong" : "Result"}
            copied={{ text: outcomeText(call, outcome), what: "result, redacted" }}
          >
            {outcome ? <p className="text-sm text-critical wrap-anywhere">{outcome}</p> : null}
            <ResultView result={call.result} />
          </Part>
        ) : null}
      </div>
    </details>
  );
}

function People({ call, now }: { call: CallFacts; now: string }) {
  if (call.approvalId === null && call.acts.length === 0) return null;
  return (
    <Part title="People">
      {call.approvalId !== null && call.decidedBy.length === 0 ? (
        <p className="text-sm text-ink-2">Asked; nobody has decided.</p>
      ) : null}
      <ul className="grid gap-1 text-sm empty:hidden">
        {call.decidedBy.map((decision, index) => (
          <li key={index} className="wrap-anywhere">
            <span className="font-medium">
              {decision.name} {decision.verdict}
            </span>
            {decision.edited ? " with changed arguments" : ""} <RelativeTime at={decision.at.toISOString()} now={now} />
            {decision.reason ? `: “${decision.reason}”` : ""}
            {decision.comment ? ` (${decision.comment})` : ""}
          </li>
        ))}
      </ul>
      <PersonActs acts={call.acts} now={now} className="grid gap-1 text-sm" />
      {call.status === "pending_approval" ? (
        <Link
          href={`/inbox/${call.approvalId}`}
          className="text-sm text-accent underline underline-offset-3 print:hidden"
        >
          Open in the inbox
        </Link>
      ) : null}
    </Part>
  );
}

function ResultView({ result }: { result: CallFacts["result"] }) {
  if (!result) return null;
  if (result.structured !== null && !result.isError) return <ValueView value={result.structured} />;
  return (
    <div className="rounded-lg border border-line bg-sunken px-3.5 py-2">
      <FoldedText text={result.output} mono />
    </div>
  );
}

/** What the part below shows, as text. */
function outcomeText({ result }: CallFacts, outcome: string | null): string {
  const answer =
    result && (result.structured !== null && !result.isError ? printValue(result.structured) : result.output);
  return [outcome, answer].filter(Boolean).join("\n");
}

interface PartProps {
  title: string;
  aside?: React.ReactNode;
  copied?: { text: string; what: string };
  children: React.ReactNode;
}

function Part({ title, aside, copied, children }: PartProps) {
  return (
    <section className="grid gap-1.5">
      <div className="flex flex-wrap items-center gap-x-1 text-sm">
        <h4 className="font-medium text-ink-2">{title}</h4>
        <span className="-mr-2.5 ml-auto flex items-center gap-x-1 print:hidden">
          {aside}
          {copied ? <CopyButton {...copied} /> : null}
        </span>
      </div>
      {children}
    </section>
  );
}

function short(digest: string): string {
  const hex = digest.replace("sha256:", "");
  return `${hex.slice(0, 4)}…${hex.slice(-4)}`;
}
