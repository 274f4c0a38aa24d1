import Link from "next/link";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { RelativeTime } from "@/components/ui/relative-time";
import { joinNames } from "@/components/approvals/card/join-names";
import { KeyHint } from "@/components/approvals/queue/key-hint";
import { engineDeps } from "@/lib/database/deps";
import type { InboxCounts } from "@/lib/approvals/queries/inbox-counts";
import { listDecided } from "@/lib/approvals/queries/list-decided";

/** Beside the queue while no card is open: what waits, and what was decided last. */
export async function InboxOverview({ counts, hasRows, now }: { counts: InboxCounts; hasRows: boolean; now: string }) {
  const decided = await listDecided(engineDeps().db);
  return (
    <>
      {counts.all === 0 ? <NothingWaits /> : <SomeWait counts={counts} hasRows={hasRows} />}
      {decided.length > 0 ? (
        <section aria-labelledby="decided" className="mx-auto grid w-full max-w-140 gap-2 px-5 pb-10">
          <h2 id="decided" className="text-sm font-medium text-ink-2">
            Decided last
          </h2>
          <ul className="grid border-t border-line">
            {decided.map((row) => (
              <li key={row.id} className="border-b border-line">
                <Link href={`/inbox/${row.id}`} prefetch={false} className="grid gap-0.5 py-2 hover:bg-sunken/60">
                  <span className="wrap-anywhere">{row.summary}</span>
                  <span className="text-sm text-ink-2">
                    {row.status === "cancelled" ? "withdrawn" : row.status}
                    {row.by.length > 0 ? ` by ${joinNames(row.by)}` : ""} ·{" "}
                    <code>
                      {row.server}.{row.tool}
                    </code>{" "}
                    · <RelativeTime at={row.at} now={now} />
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

function SomeWait({ counts, hasRows }: { counts: InboxCounts; hasRows: boolean }) {
  const calls = counts.all === 1 ? "One call waits" : `${counts.all >= 1000 ? "More than 999" : counts.all} calls wait`;
  return (
    <EmptyState title={`${calls} for a person`}>
      <p>
        {counts.mine === 0
          ? "None of them is yours to decide."
          : counts.mine === counts.all && counts.all < 1000
            ? `You may decide ${counts.all === 1 ? "it" : "all of them"}.`
            : `${counts.mine >= 1000 ? "More than 999" : counts.mine} of them you may decide.`}{" "}
        {counts.critical > 0 ? `${counts.critical} ${counts.critical === 1 ? "is" : "are"} critical.` : ""}
      </p>
      {hasRows ? (
        <p>
          Choose one in the list, or press <KeyHint letter="J" /> for the first.
        </p>
      ) : (
        <p>
          None of them fits the filters.{" "}
          <Link href="/inbox" className="underline underline-offset-3">
            Show all
          </Link>
        </p>
      )}
    </EmptyState>
  );
}

function NothingWaits() {
  return (
    <EmptyState
      title="Nothing waits for a person"
      next={
        <Command says="Check the project's files, and with them who is asked for what:" text="npx kimitsu validate" />
      }
    >
      <p>
        When an agent asks for a tool call that its policy puts in front of a person, the call waits here until someone
        approves or rejects it.
      </p>
      <p>
        Which calls those are is written in the agent&rsquo;s <code>access.allowlist</code>, under{" "}
        <code>require_approval</code>.
      </p>
    </EmptyState>
  );
}
