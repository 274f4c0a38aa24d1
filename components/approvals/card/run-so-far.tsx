import Link from "next/link";
import { LocalTime } from "@/components/runs/local-time";
import { classNames } from "@/components/ui/class-names";
import type { RunSoFar } from "@/lib/approvals/queries/run-so-far";
import { ShownText } from "./shown-text";

const DOTS: Record<string, string> = {
  done: "bg-ok",
  succeeded: "bg-ok",
  failed: "bg-critical",
  denied: "bg-critical",
  rejected: "bg-critical",
  outcome_unknown: "bg-critical",
  pending_approval: "border-2 border-critical bg-paper",
  executing: "bg-accent",
  approved: "bg-accent",
};

/** The run up to this question, and what would follow. */
export function RunColumn({ run, thisCallId }: { run: RunSoFar; thisCallId: string }) {
  return (
    <div className="grid gap-4">
      <ol className="grid">
        <Moment
          dot="bg-ok"
          title={`Started by ${run.startedBy}`}
          detail={run.startedByKind === "user" ? "" : `by ${run.startedByKind}`}
          at={run.startedAt}
        >
          <code className="text-ink-3 wrap-anywhere">
            <ShownText text={run.params} />
          </code>
        </Moment>
        {run.earlier > 0 ? (
          <li className="pb-3 pl-5 text-sm text-ink-3">
            {run.earlier} earlier turns and calls are on the run&rsquo;s page
          </li>
        ) : null}
        {run.moments.map((moment) => (
          <Moment
            key={moment.id}
            dot={DOTS[moment.status] ?? "bg-line-strong"}
            title={moment.title}
            detail={
              moment.id === thisCallId && moment.status === "pending_approval"
                ? "this call waits for a person"
                : moment.detail
            }
            at={moment.at}
            isCode={moment.kind === "call"}
            isStrong={moment.id === thisCallId}
          />
        ))}
        {run.next.length > 0 ? (
          <Moment dot="bg-line-strong" title={`then: ${run.next.join(", ")}`} detail="" at={null} />
        ) : null}
      </ol>
      <dl className="grid gap-1 border-t border-line pt-3 text-sm text-ink-2">
        <Figure name="Cost so far">
          ${run.costUsd.toFixed(4)}
          {run.costBudgetUsd === null ? "" : ` of $${run.costBudgetUsd.toFixed(2)}`}
        </Figure>
        <Figure name="Tokens">{run.tokens.toLocaleString("en")}</Figure>
        <Figure name="Configuration">
          <code title={run.configHash}>{run.configHash.replace("sha256:", "").slice(0, 8)}</code>
        </Figure>
      </dl>
    </div>
  );
}

export function OpenRun({ runId }: { runId: string }) {
  return (
    <Link
      href={`/history/${runId}`}
      className="w-fit text-sm text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink"
    >
      Open run
    </Link>
  );
}

interface MomentProps {
  dot: string;
  title: string;
  detail: string;
  at: string | null;
  isCode?: boolean;
  isStrong?: boolean;
  children?: React.ReactNode;
}

function Moment({ dot, title, detail, at, isCode, isStrong, children }: MomentProps) {
  return (
    <li className="relative grid grid-cols-[10px_minmax(0,1fr)_auto] gap-x-2.5 pb-3 text-sm not-last:before:absolute not-last:before:top-4 not-last:before:bottom-0 not-last:before:left-1 not-last:before:w-px not-last:before:bg-line">
      <span aria-hidden className={classNames("mt-1.25 size-2.5 rounded-full", dot)} />
      <span className="grid min-w-0">
        <span className={classNames("wrap-anywhere", isStrong && "font-semibold", !at && "text-ink-3")}>
          {isCode ? <code>{title}</code> : title}
        </span>
        {detail ? <span className="text-ink-3 wrap-anywhere">{detail}</span> : null}
        {children}
      </span>
      {at ? (
        <span className="text-ink-3">
          <LocalTime at={at} />
        </span>
      ) : null}
    </li>
  );
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="flex justify-between gap-3">
      <dt>{name}</dt>
      <dd className="text-ink tabular-nums">{children}</dd>
    </div>
  );
}
