import type { ReactNode } from "react";
import { notFound } from "next/navigation";
import { Card } from "@/components/approvals/card/card";
import { InboxKeys } from "@/components/approvals/queue/keyboard";
import { LiveInbox } from "@/components/approvals/queue/live";
import { unseenFrom } from "@/lib/approvals/queries/list-live-events";
import { Queue } from "@/components/approvals/queue/queue";
import { ChipLink, QueueFilters } from "@/components/approvals/queue/queue-filters";
import { OpenRun, RunColumn } from "@/components/approvals/card/run-so-far";
import { classNames } from "@/components/ui/class-names";
import { Notice } from "@/components/ui/notice";
import { Pager } from "@/components/ui/pager";
import type { Session } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { getInboxCounts } from "@/lib/approvals/queries/inbox-counts";
import { isDispatchPaused } from "@/lib/runs/queries/is-dispatch-paused";
import { type InboxRow, listInbox } from "@/lib/approvals/queries/list-inbox";
import { savePreferences } from "../preferences";
import { decideCard, extendCard, reviewCardEdit, setCardAside, takeCardUp } from "./actions";
import { describeCount, toFilters } from "./filters";
import { type InboxView, listAddress } from "./inbox-address";
import { InboxOverview } from "./overview";
import { readCard } from "./read-card";

const ACTIONS = {
  decide: decideCard,
  extend: extendCard,
  setAside: setCardAside,
  takeUp: takeCardUp,
  reviewEdit: reviewCardEdit,
};

interface Props {
  session: Session;
  view: InboxView;
  /** The card that the address names. */
  approvalId: string | null;
}

/** The queue, the card and the run side by side; on a phone the address says which of the first two is shown. */
export async function InboxScreen({ session, view, approvalId }: Props) {
  const { db, now } = engineDeps();
  const reader = { userId: session.user.id, role: session.user.role, groups: session.user.groups };
  const clock = now();
  const [page, counts, card, isPaused] = await Promise.all([
    listInbox(db, reader, { ...view, aside: { only: view.aside === true, now: clock } }),
    getInboxCounts(db, reader, clock),
    approvalId === null ? null : readCard(session, approvalId, clock),
    approvalId === null ? false : isDispatchPaused(db),
  ]);
  if (approvalId !== null && card === null) notFound();
  // What was set aside stands below everything else.
  const isLastPage = page.nextCursor === null && !view.aside && counts.aside > 0;
  const sunk = isLastPage
    ? (await listInbox(db, reader, { ...view, cursor: undefined, aside: { only: true, now: clock } })).items
    : [];
  const rows = [...page.items, ...sunk];
  const at = clock.toISOString();
  const { aside, ...filters } = toFilters(view, counts);
  const firstHref = view.cursor ? listAddress(view, { cursorText: undefined }) : undefined;
  const nextHref = page.nextCursor ? listAddress(view, { cursorText: page.nextCursor }) : undefined;
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)] max-tablet:content-start tablet:h-[calc(100dvh-var(--above,0px))] tablet:flex-none tablet:grid-rows-[minmax(0,1fr)] tablet:grid-cols-[minmax(264px,372fr)_minmax(0,548fr)] wide:grid-cols-[minmax(280px,372fr)_minmax(0,548fr)_minmax(236px,312fr)]">
      <Column label="Queue" className={classNames("tablet:border-r tablet:border-line", card && "max-tablet:hidden")}>
        <header className="flex h-13 shrink-0 items-center gap-2.5 border-b border-line px-4">
          <h1 className="text-lg font-semibold">Inbox</h1>
          <span className="text-ink-3 tabular-nums">{describeCount(view, counts, page)}</span>
          <span className="ml-auto flex items-center gap-2">
            <LiveInbox userId={session.user.id} watched={namesOf(rows, card)} unseenFrom={unseenFrom(clock)} />
            {aside ? <ChipLink chip={aside} /> : null}
            <InboxKeys initial={session.preferences.keys} save={savePreferences} />
          </span>
        </header>
        <QueueFilters {...filters} />
        {view.problems.map((problem) => (
          <Notice key={problem} tone="failed" title={problem} className="m-3" />
        ))}
        <Queue
          rows={page.items}
          sunk={sunk}
          whenEmpty={counts.all === 0 ? "Nothing waits for a person." : "No pending call fits these filters."}
          selectedId={approvalId}
          search={searchOf(view)}
          now={at}
          decide={decideCard}
        />
        <Pager
          label="Pages of the queue"
          firstHref={firstHref}
          nextHref={nextHref}
          className="border-t border-line px-4 py-2.5"
        />
      </Column>
      {card ? (
        <>
          <div className="flex min-h-0 min-w-0 flex-col bg-panel">
            <Card
              key={card.id}
              card={card}
              userId={session.user.id}
              listHref={listAddress(view)}
              nextHref={afterThis(rows, card.id, view)}
              isPaused={isPaused}
              actions={ACTIONS}
            />
          </div>
          <Column label="Run so far" className="border-l border-line max-wide:hidden">
            <header className="flex h-13 shrink-0 items-center justify-between gap-3 border-b border-line px-4">
              <h2 className="text-lg font-semibold">Run so far</h2>
              <OpenRun runId={card.run.id} />
            </header>
            <div className="min-h-0 flex-1 overflow-y-auto p-4" tabIndex={0}>
              <RunColumn run={card.run} thisCallId={card.callId} />
            </div>
          </Column>
        </>
      ) : (
        <div
          className={classNames(
            "min-h-0 min-w-0 overflow-y-auto bg-panel wide:col-span-2",
            counts.all > 0 && "max-tablet:hidden",
          )}
        >
          <InboxOverview counts={counts} hasRows={rows.length > 0} now={at} />
        </div>
      )}
    </div>
  );
}

function Column({ label, className, children }: { label: string; className?: string; children: ReactNode }) {
  return (
    <section aria-label={label} className={classNames("flex min-h-0 min-w-0 flex-col", className)}>
      {children}
    </section>
  );
}

const searchOf = (view: InboxView): string => listAddress(view, {}, "");

/** Where "not now" and "next" lead: the row below, or back to the list from the last one. */
function afterThis(rows: readonly InboxRow[], id: string, view: InboxView): string {
  const place = rows.findIndex((row) => row.id === id);
  const next = rows[place + 1];
  return next && next.id !== id ? `/inbox/${next.id}${searchOf(view)}` : listAddress(view);
}

function namesOf(rows: readonly InboxRow[], card: ApprovalCard | null): Record<string, string> {
  const shown = card ? [...rows, card] : rows;
  return Object.fromEntries(shown.map((row) => [row.id, `${row.server}.${row.tool}`]));
}
