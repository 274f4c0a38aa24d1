import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { ArrowLeft } from "lucide-react";
import { cache } from "react";
import { TranscriptList } from "@/components/clients/transcript";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { isActive } from "@/components/runs/run-words";
import { LinkWorking } from "@/components/shell/link-working";
import { buttonClass } from "@/components/ui/button";
import { engineDeps } from "@/lib/database/deps";
import { isId } from "@/lib/ids";
import { can, requirePermission } from "@/lib/people/session/session";
import { findSession } from "@/lib/proxy/queries/list-sessions";
import { listTranscript, type TranscriptEntry } from "@/lib/proxy/queries/list-transcript";
import { actsOnCall } from "../../history/[runId]/acts";
import { fingerprintHere } from "../../history/[runId]/load-run";
import { addressWith, oneText } from "../../search-params";
import { describeOver } from "../listed-session";
import { EndSession } from "./end-session";
import { SessionHead } from "./session-head";

/** While a call changes, and while the client may only make another. */
const REFRESH_BUSY_MS = 2_000;
const REFRESH_STILL_MS = 5_000;

const loadSession = cache(async (sessionId: string) => {
  const reader = await requirePermission("runs:read");
  const { db, now } = engineDeps();
  const session = isId("session", sessionId) ? await findSession(db, sessionId) : null;
  return session ? { session, reader, clock: now() } : notFound();
});

export async function generateMetadata({ params }: PageProps<"/clients/[sessionId]">): Promise<Metadata> {
  const { session } = await loadSession((await params).sessionId);
  return { title: `${session.client} ${session.id.slice(-6)}` };
}

/** One session, read from the first call to the last. */
export default async function SessionPage({ params, searchParams }: PageProps<"/clients/[sessionId]">) {
  const { session, reader, clock } = await loadSession((await params).sessionId);
  const before = oneText((await searchParams).before);
  const { entries, earlier } = await listTranscript(engineDeps().db, {
    sessionId: session.id,
    fingerprint: fingerprintHere(),
    before: before !== undefined && isId("run", before) ? before : undefined,
  });
  const base = `/clients/${session.id}`;
  const over = describeOver(session, clock);
  const isLive = session.token.revokedAt === null;
  const mayEnd = isLive && (can(reader, "admin") || session.person.id === reader.user.id);
  return (
    <>
      <header className="flex min-h-13 shrink-0 items-center gap-2.5 border-b border-line bg-paper px-4 tablet:px-6">
        <Link
          href="/clients"
          aria-label="Back to Clients"
          className={buttonClass({ variant: "quiet", size: "icon" }, "-ml-2 print:hidden")}
        >
          <ArrowLeft aria-hidden />
        </Link>
        <h1 className="min-w-0 truncate text-lg font-semibold">Session of {session.person.name}</h1>
        {mayEnd ? (
          <div className="ml-auto print:hidden">
            <EndSession tokenId={session.token.id} name={session.token.name} />
          </div>
        ) : null}
      </header>
      <SessionHead session={session} clock={clock} />
      <div className="grid w-full max-w-250 gap-4 px-4 py-5 tablet:px-6">
        <More earlier={earlier} isFirst={before === undefined} base={base} />
        {entries.length > 0 ? (
          <TranscriptList lines={entries.map(toLine)} now={clock.toISOString()} />
        ) : (
          <p className="text-ink-2">
            {before === undefined
              ? "The client has connected and called nothing yet."
              : "There are no earlier calls in this session."}
          </p>
        )}
      </div>
      <Freshness
        busy={entries.some(({ status }) => isActive(status))}
        isGrowing={before === undefined && over === null}
      />
    </>
  );
}

function More({ earlier, isFirst, base }: { earlier: string | null; isFirst: boolean; base: string }) {
  if (earlier === null && isFirst) return null;
  return (
    <nav aria-label="Pages of the transcript" className="flex gap-2 print:hidden">
      {earlier === null ? null : (
        <Link
          href={addressWith(base, { before: earlier })}
          className={buttonClass({ size: "small" }, "relative hover:bg-sunken")}
        >
          Earlier calls
          <LinkWorking />
        </Link>
      )}
      {isFirst ? null : (
        <Link href={base} className={buttonClass({ size: "small" }, "relative hover:bg-sunken")}>
          Newest calls
          <LinkWorking />
        </Link>
      )}
    </nav>
  );
}

function Freshness({ busy, isGrowing }: { busy: boolean; isGrowing: boolean }) {
  if (busy) return <KeepFresh everyMs={REFRESH_BUSY_MS} />;
  return isGrowing ? <KeepFresh everyMs={REFRESH_STILL_MS} /> : null;
}

const toLine = ({ runId, at, status, error, call, acts }: TranscriptEntry) => ({
  runId,
  status,
  error,
  at: at.toISOString(),
  call: call && { ...call, acts: actsOnCall(acts, call.id) },
});
