import Link from "next/link";
import { LocalTime } from "@/components/runs/local-time";
import { CALL_WORDS } from "@/components/runs/run-words";
import { StatusMark } from "@/components/runs/status-mark";
import { RelativeTime } from "@/components/ui/relative-time";
import type { AskingClient } from "@/lib/proxy/queries/find-client";

const linkClass = "underline decoration-line-strong underline-offset-3 hover:decoration-ink";

/** Which client asks, and what its session did before this call. */
export function AskingClientPart({ client, now }: { client: AskingClient; now: string }) {
  return (
    <section aria-labelledby="asking-client" className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <h3 id="asking-client" className="text-sm font-medium text-ink-2">
          The client that asks
        </h3>
        <Link href={`/clients/${client.sessionId}`} className={`text-sm text-ink-2 ${linkClass}`}>
          Open the session
        </Link>
      </div>
      <div className="rounded-lg border border-line">
        <p className="flex flex-wrap gap-x-4 border-b border-line px-3.5 py-2 last:border-b-0">
          <span className="font-medium wrap-anywhere">{client.name}</span>
          <span className="text-sm text-ink-3">its own word for itself, not checked</span>
          <span className="ml-auto text-sm text-ink-2">
            session since <RelativeTime at={client.since} now={now} />
          </span>
        </p>
        {client.before.length === 0 ? (
          <p className="px-3.5 py-2 text-sm text-ink-2">This is the first call of its session.</p>
        ) : (
          <ol aria-label="What the session did before, newest first" className="grid">
            {client.before.map(({ runId, at, server, tool, status, summary }) => (
              <li
                key={runId}
                className="grid gap-x-4 border-b border-line px-3.5 py-1.5 text-sm last:border-b-0 tablet:grid-cols-[minmax(0,1fr)_auto_auto]"
              >
                <span className="min-w-0 wrap-anywhere">
                  <Link href={`/history/${runId}`} className={linkClass}>
                    <code>{`${server}.${tool}`}</code>
                  </Link>{" "}
                  <span className="text-ink-2">{summary}</span>
                </span>
                <StatusMark {...CALL_WORDS[status]} className="text-ink-2" />
                <span className="text-ink-3">
                  <LocalTime at={at} />
                </span>
              </li>
            ))}
            {client.hasMore ? <li className="px-3.5 py-1.5 text-sm text-ink-3">and more before</li> : null}
          </ol>
        )}
      </div>
    </section>
  );
}
