"use client";

import Link from "next/link";
import { Check } from "lucide-react";
import { LinkWorking } from "@/components/shell/link-working";
import { classNames } from "@/components/ui/class-names";
import { RelativeTime } from "@/components/ui/relative-time";
import { Tag } from "@/components/ui/tag";
import type { InboxRow } from "@/lib/approvals/queries/list-inbox";
import { Left } from "@/components/approvals/card/countdown";
import { DANGER_BORDERS, DANGER_TONES, DANGER_WORDS } from "@/components/approvals/card/danger";
import { RowViewers } from "@/components/approvals/card/looking";
import { awaitCard } from "./queue-place";
import { ShownText } from "@/components/approvals/card/shown-text";

interface Props {
  row: InboxRow;
  href: string;
  /** It no longer waits; see hold-rows.ts. */
  isGone: boolean;
  isCurrent: boolean;
  isPicked: boolean;
  isPickable: boolean;
  /** Whether any row of the queue has a checkbox; the others then leave its place free, so that all are aligned. */
  hasBoxes: boolean;
  onPick: () => void;
  now: string;
}

export function QueueRow({ row, href, isGone, isCurrent, isPicked, isPickable, hasBoxes, onPick, now }: Props) {
  const name = `${row.server}.${row.tool}`;
  return (
    <li
      data-row={isGone ? undefined : row.id}
      className={classNames(
        "relative border-b border-l-3 border-line",
        DANGER_BORDERS[row.danger],
        isCurrent ? "bg-accent-soft" : "hover:bg-sunken/60",
        isGone && "text-ink-3",
      )}
    >
      {/* Prefetching would not save the request for the card, and a queue has fifty of them, fetched again after every
          change. */}
      <Link
        href={href}
        prefetch={false}
        onNavigate={() => void (isCurrent || awaitCard(row.id))}
        aria-current={isCurrent ? "page" : undefined}
        className={classNames(
          "relative grid gap-0.5 py-2.5 pr-4 focus-visible:-outline-offset-2",
          hasBoxes || isPickable ? "pl-10" : "pl-3.5",
        )}
      >
        <span className="flex items-baseline gap-2">
          <code className={classNames("min-w-0 flex-1 font-semibold wrap-anywhere", isGone && "line-through")}>
            {name}
          </code>
          <span className="text-sm whitespace-nowrap text-ink-2 tabular-nums">
            {isGone ? "no longer waits" : row.expiresAt ? <Left until={row.expiresAt} now={now} /> : null}
          </span>
        </span>
        <span className="wrap-anywhere">
          <ShownText text={row.summary} />
        </span>
        <span className="flex items-baseline gap-x-1.5 text-sm text-ink-2">
          <Tag tone={DANGER_TONES[row.danger]}>{DANGER_WORDS[row.danger]}</Tag>
          <span className="min-w-0 wrap-anywhere">
            {/* A line breaks after a dot and never before it. */}
            {`${row.client ? `${row.client.name}\u00A0· ${row.client.profile}` : `${row.agent}\u00A0· ${row.workflow}`}\u00A0· ${row.startedBy}\u00A0· `}
            <RelativeTime at={row.createdAt} now={now} />
            {row.minApprovals > 1 ? `\u00A0· ${row.approvals} of ${row.minApprovals} approvals` : ""}
            {row.notesBy.length > 0 ? `\u00A0· note by ${row.notesBy.join(", ")}` : ""}
            {row.decidedByReader ? "\u00A0· you approved" : row.refusal ? "\u00A0· not yours to decide" : ""}
            <RowViewers approvalId={row.id} />
          </span>
        </span>
        <LinkWorking />
      </Link>
      {isPickable && !isGone ? (
        <label className="absolute top-0 left-0 grid h-11 w-10 place-items-center">
          {/* The box itself is the whole target: a small one between other targets is hard to hit. */}
          <input
            type="checkbox"
            checked={isPicked}
            onChange={onPick}
            aria-label={`Select ${name}: ${row.summary}`}
            className="peer absolute inset-0 size-full cursor-pointer opacity-0"
          />
          <span
            aria-hidden
            className="pointer-events-none grid size-4 place-items-center rounded-xs border border-edge bg-panel text-panel outline-offset-2 outline-accent peer-checked:border-accent peer-checked:bg-accent peer-focus-visible:outline-2 [&_svg]:opacity-0 peer-checked:[&_svg]:opacity-100"
          >
            <Check className="size-3 stroke-3" />
          </span>
        </label>
      ) : null}
    </li>
  );
}
