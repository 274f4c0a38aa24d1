import Link from "next/link";
import { describeCost } from "@/components/runs/describe-figures";
import { StatusMark } from "@/components/runs/status-mark";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { describeCounted } from "./describe-counted";

export interface ListedSession {
  id: string;
  /** As the client calls itself. */
  client: string;
  profile: string;
  token: string;
  /** Why no more can come: it ended, or its token did. */
  over: string | null;
  person: string;
  calls: { total: number; waiting: number; failed: number };
  costUsd: number;
  lastSeenAt: string;
}

/** One row for each session; where columns are hidden, the line under the client says what they would. */
export function SessionTable({ sessions, now }: { sessions: readonly ListedSession[]; now: string }) {
  return (
    <Table
      label="Sessions, last used first"
      head={
        <>
          <Th>Client</Th>
          <Th className="max-tablet:hidden">For</Th>
          <Th className="max-wide:hidden">Profile</Th>
          <Th className="text-right max-tablet:hidden">Calls</Th>
          <Th className="text-right max-tablet:hidden">Waiting</Th>
          <Th className="text-right max-wide:hidden">Failed</Th>
          <Th className="text-right max-wide:hidden">Cost</Th>
          <Th className="text-right">Last seen</Th>
        </>
      }
    >
      {sessions.map((session) => (
        <SessionRow key={session.id} session={session} now={now} />
      ))}
    </Table>
  );
}

function SessionRow({ session, now }: { session: ListedSession; now: string }) {
  const { id, client, profile, token, over, person, calls, costUsd, lastSeenAt } = session;
  return (
    <Row className="relative hover:bg-sunken/60 has-[a:focus-visible]:bg-sunken/60">
      <Td className="max-tablet:w-full">
        {/* The link covers the row, so that the whole row can be pressed and there is one stop for the keyboard. */}
        <Link
          href={`/clients/${id}`}
          prefetch={false}
          className="font-medium wrap-anywhere outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          {client}
          <span className="sr-only">, session {id}</span>
        </Link>
        {over ? <Tag className="ml-2">{over}</Tag> : null}
        <span className="block text-sm text-ink-3 wide:hidden">
          <span className="tablet:hidden">{person} · </span>
          {profile}
        </span>
        <span className="block text-sm text-ink-2 tablet:hidden">
          {describeCounted(calls.total)} {calls.total === 1 ? "call" : "calls"}
          {calls.failed > 0 ? `, ${calls.failed} failed` : ""} · {describeCost(costUsd)}
        </span>
        {calls.waiting > 0 ? (
          <StatusMark mark="person" word={`${calls.waiting} waiting`} className="text-sm tablet:hidden" />
        ) : null}
      </Td>
      <Td className="max-tablet:hidden">
        {person}
        <span className="block text-sm text-ink-3">token {token}</span>
      </Td>
      <Td className="max-wide:hidden">
        <code className="wrap-anywhere">{profile}</code>
      </Td>
      <Td className="text-right tabular-nums max-tablet:hidden">{describeCounted(calls.total)}</Td>
      <Td className="text-right max-tablet:hidden">
        {calls.waiting > 0 ? <StatusMark mark="person" word={describeCounted(calls.waiting)} /> : <None />}
      </Td>
      <Td className="text-right tabular-nums max-wide:hidden">{calls.failed > 0 ? calls.failed : <None />}</Td>
      <Td className="text-right text-ink-2 tabular-nums max-wide:hidden">{describeCost(costUsd)}</Td>
      <Td className="text-right text-sm text-ink-2">
        <RelativeTime at={lastSeenAt} now={now} />
      </Td>
    </Row>
  );
}

function None() {
  return (
    <span className="text-ink-3">
      <span aria-hidden>–</span>
      <span className="sr-only">none</span>
    </span>
  );
}
