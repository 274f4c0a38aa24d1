import type { Metadata } from "next";
import { SessionTable } from "@/components/clients/session-table";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageBar } from "@/components/ui/page-bar";
import { Pager } from "@/components/ui/pager";
import { engineDeps } from "@/lib/database/deps";
import { can, requirePermission } from "@/lib/people/session/session";
import { listClientTokens } from "@/lib/proxy/queries/list-client-tokens";
import { listSessions, parseSessionCursor } from "@/lib/proxy/queries/list-sessions";
import { addressWith, oneText } from "../search-params";
import { findCurrentProject } from "../workflows/current-project";
import { isFiltered, readSessionQuery, toSessionFilter } from "./filter";
import { toListedSession } from "./listed-session";
import { ProfileList } from "./profile-list";
import { SessionFilters } from "./session-filter";
import { TokenList } from "./token-list";

export const metadata: Metadata = { title: "Clients" };

const REFRESH_MS = 5_000;

export default async function ClientsPage({ searchParams }: PageProps<"/clients">) {
  const session = await requirePermission("runs:read");
  const params = await searchParams;
  const query = readSessionQuery(params);
  const cursor = parseSessionCursor(oneText(params.cursor) ?? "");
  const { filter, problems } = toSessionFilter(query);
  const { db, now } = engineDeps();
  const clock = now();
  const at = clock.toISOString();
  const [page, tokens] = await Promise.all([listSessions(db, { ...filter, cursor }), listClientTokens(db, clock)]);
  const profiles = Object.values(findCurrentProject()?.profiles ?? {});
  const isNarrowed = isFiltered(query) || cursor !== undefined;
  const mine = can(session, "admin") ? tokens : tokens.filter(({ userId }) => userId === session.user.id);
  return (
    <>
      <PageBar title="Clients" />
      {page.items.length === 0 && !isNarrowed ? <NoSessions profile={profiles[0]?.name ?? null} /> : null}
      {profiles.length > 0 ? <ProfileList profiles={profiles} tokens={tokens} /> : null}
      {mine.length > 0 ? <TokenList tokens={mine} isEveryones={can(session, "admin")} now={at} /> : null}
      {page.items.length > 0 || isNarrowed ? (
        <section aria-labelledby="sessions-title" className="pt-5">
          <h2 id="sessions-title" className="px-4 pb-3 text-lg font-semibold tablet:px-6">
            Sessions
          </h2>
          <SessionFilters query={query} profiles={profiles.map(({ name }) => name)} />
          {problems.map((problem) => (
            <Notice key={problem} tone="failed" title={problem} className="mx-4 my-3 tablet:mx-6" />
          ))}
          {page.items.length > 0 ? (
            <SessionTable sessions={page.items.map((each) => toListedSession(each, clock))} now={at} />
          ) : (
            <p className="border-t border-line px-4 py-6 text-ink-2 tablet:px-6">
              No session fits. Take a filter away to see more.
            </p>
          )}
          <Pager
            label="Pages of sessions"
            firstHref={cursor ? addressWith("/clients", { ...query }) : undefined}
            nextHref={page.nextCursor ? addressWith("/clients", { ...query, cursor: page.nextCursor }) : undefined}
          />
        </section>
      ) : null}
      <KeepFresh everyMs={REFRESH_MS} />
    </>
  );
}

function NoSessions({ profile }: { profile: string | null }) {
  return (
    <EmptyState
      title="No client has connected yet"
      next={
        profile === null ? (
          <p className="text-ink-2">
            First say what clients may do: add <code>profiles/NAME.profile.yaml</code> to the project, and check it with{" "}
            <code>npx kimitsu validate</code>.
          </p>
        ) : (
          <Command
            says="Connect the first one. The command makes a token, writes the client’s own configuration after it has asked, and checks that it works:"
            text={`npx kimitsu connect claude-code --profile ${profile}`}
          />
        )
      }
    >
      <p>
        Agents that live elsewhere, in Claude Code, Cursor, VS Code or a program of your own, use tools through Kimitsu:
        the same policy, the same inbox and the same trail. What each of them did is here, session by session.
      </p>
    </EmptyState>
  );
}
