import Link from "next/link";
import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { RelativeTime } from "@/components/ui/relative-time";
import { Tag } from "@/components/ui/tag";
import type { ApprovalCard } from "@/lib/approvals/queries/find-card";
import { Countdown } from "./countdown";
import { DANGER_TONES, DANGER_WORDS } from "./danger";
import type { Extend } from "@/components/approvals/decide/decision";
import { ExtendButton } from "./extend-button";
import { CardViewers } from "./looking";
import { ShownText } from "./shown-text";

/** The 52 px bar of the card: how dangerous, how long. On a phone it also leads back to the list. */
export function CardBar({ card, listHref, extend }: { card: ApprovalCard; listHref: string; extend: Extend }) {
  const isPending = card.status === "pending";
  return (
    <div className="flex min-h-13 shrink-0 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-paper px-4 py-2 tablet:px-6">
      <Link
        href={listHref}
        className="-ml-1 inline-flex size-9 items-center justify-center tablet:hidden"
        aria-label="Back to the list"
      >
        <ArrowLeft aria-hidden className="size-5" />
      </Link>
      <Tag tone={DANGER_TONES[card.danger]}>
        {DANGER_WORDS[card.danger]}
        {card.destructive ? " · cannot be undone" : ""}
      </Tag>
      <div className="ml-auto flex flex-wrap items-center justify-end gap-2.5">
        {isPending && card.expiresAt ? <Countdown until={card.expiresAt} from={card.createdAt} now={card.now} /> : null}
        {isPending && !card.expiresAt ? <span className="text-sm text-ink-2">Does not expire</span> : null}
        {isPending && card.expiresAt && card.refusal === null ? (
          <ExtendButton approvalId={card.id} expiresAt={card.expiresAt} latest={card.extendableUntil} extend={extend} />
        ) : null}
      </div>
    </div>
  );
}

/** The sentence that says what will happen, and who is behind it. */
export function CardTitle({ card }: { card: ApprovalCard }) {
  return (
    <div className="grid gap-2">
      <h2
        id="card-title"
        tabIndex={-1}
        className="text-xl outline-none font-semibold tracking-[-0.015em] wrap-anywhere"
      >
        <ShownText text={card.summary} />
      </h2>
      <dl className="flex flex-wrap gap-x-4 gap-y-0.5 text-sm text-ink-2">
        <Fact name="tool" isHidden>
          <code className="font-semibold text-ink wrap-anywhere">
            {card.server}.{card.tool}
          </code>
        </Fact>
        {card.client ? <FromClient client={card.client} /> : <FromWorkflow card={card} />}
        <Fact name="started by">{card.startedBy}</Fact>
        <Fact name="asked">
          <RelativeTime at={card.createdAt} now={card.now} />
        </Fact>
        {card.escalated ? (
          <Fact name="escalated to">
            {card.escalated.to.join(", ")} <RelativeTime at={card.escalated.at} now={card.now} />
          </Fact>
        ) : null}
        {card.status === "pending" ? <CardViewers approvalId={card.id} /> : null}
      </dl>
    </div>
  );
}

function FromWorkflow({ card }: { card: ApprovalCard }) {
  return (
    <>
      <Fact name="agent">{card.agent}</Fact>
      <Fact name="workflow">
        {card.workflow} <span className="font-normal">{card.run.version}</span>
      </Fact>
      <Fact name="step">{card.stepKey}</Fact>
    </>
  );
}

/** The name is what the client says of itself; who it acts for and what it may do come from its token. */
function FromClient({ client }: { client: NonNullable<ApprovalCard["client"]> }) {
  return (
    <>
      <Fact name="client calls itself">{client.name}</Fact>
      <Fact name="profile">{client.profile}</Fact>
    </>
  );
}

function Fact({ name, isHidden = false, children }: { name: string; isHidden?: boolean; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1">
      <dt className={isHidden ? "sr-only" : undefined}>{name}</dt>
      <dd className="min-w-0 font-medium text-ink wrap-anywhere">{children}</dd>
    </div>
  );
}
