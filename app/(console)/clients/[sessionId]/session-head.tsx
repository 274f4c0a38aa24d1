import Link from "next/link";
import { describeCounted } from "@/components/clients/describe-counted";
import { describeCost } from "@/components/runs/describe-figures";
import { Fact, Facts } from "@/components/runs/facts";
import { LocalTime } from "@/components/runs/local-time";
import { CopyButton } from "@/components/ui/copy-button";
import { RelativeTime } from "@/components/ui/relative-time";
import { Tag } from "@/components/ui/tag";
import type { SessionSummary } from "@/lib/proxy/queries/list-sessions";
import { describeOver } from "../listed-session";

const linkClass = "underline decoration-line-strong underline-offset-3 hover:decoration-ink";

/** The facts of a session: who, with what, and what it came to. */
export function SessionHead({ session, clock }: { session: SessionSummary; clock: Date }) {
  const { id, client, profile, protocolVersion, token, person, calls, costUsd, createdAt, lastSeenAt } = session;
  const now = clock.toISOString();
  const over = describeOver(session, clock);
  return (
    <section aria-label="Facts" className="grid gap-4 border-b border-line px-4 py-4 tablet:px-6">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-lg font-semibold wrap-anywhere">{client}</span>
        <span className="text-sm text-ink-3">the client’s own word for itself, not checked</span>
        {over ? <Tag>{over}</Tag> : null}
        <span className="flex min-w-0 items-center text-ink-3">
          <code className="wrap-anywhere">{id}</code>
          <CopyButton text={id} what="session id" />
        </span>
      </div>
      <Facts>
        <Fact name="For">{person.name}</Fact>
        <Fact name="Token">
          {token.name} <code className="text-xs text-ink-3">{token.hint}</code>
        </Fact>
        <Fact name="Profile">
          <Link href={`/clients?profile=${encodeURIComponent(profile)}`} className={linkClass}>
            <code>{profile}</code>
          </Link>
        </Fact>
        <Fact name="Protocol">{protocolVersion}</Fact>
        <Fact name="Calls">
          <Link href={`/history?session=${id}`} className={linkClass}>
            {describeCounted(calls.total)}
          </Link>
          <span className="text-ink-3">
            {calls.waiting > 0 ? `, ${describeCounted(calls.waiting)} waiting` : ""}
            {calls.failed > 0 ? `, ${calls.failed} failed` : ""}
          </span>
        </Fact>
        <Fact name="Cost">{describeCost(costUsd)}</Fact>
        <Fact name="Began">
          <LocalTime at={createdAt.toISOString()} withDate />
        </Fact>
        <Fact name="Last seen">
          <RelativeTime at={lastSeenAt.toISOString()} now={now} />
        </Fact>
      </Facts>
    </section>
  );
}
