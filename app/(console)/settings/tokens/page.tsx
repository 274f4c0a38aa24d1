import type { Metadata } from "next";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { Pager } from "@/components/ui/pager";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { can, requireSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { listTokens, type TokenInfo } from "@/lib/people/queries/list-tokens";
import { findCurrentProject } from "../../workflows/current-project";
import { addressWith, oneText } from "../../search-params";
import { AddToken } from "./add-token";
import { RevokeToken } from "./revoke-token";
import { SCOPE_TEXT, SCOPES } from "./scope-text";

export const metadata: Metadata = { title: "Tokens" };

export default async function TokensPage({ searchParams }: PageProps<"/settings/tokens">) {
  const session = await requireSession();
  const cursor = oneText((await searchParams).cursor);
  const isAdmin = can(session, "admin");
  const { db, now } = engineDeps();
  const page = await listTokens(db, { userId: isAdmin ? undefined : session.user.id, cursor });
  const scopes = SCOPES.filter((scope) => can(session, scope)).map((value) => ({ value, says: SCOPE_TEXT[value] }));
  const profiles = Object.values(findCurrentProject()?.profiles ?? {}).map(({ name }) => name);
  const clock = now();
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-3 px-4 py-3 tablet:px-6">
        <p className="text-sm text-ink-2">
          {isAdmin ? "Everyone’s tokens, newest first." : "Your tokens, newest first."}
        </p>
        <AddToken scopes={scopes} profiles={profiles} />
      </div>
      {page.items.length > 0 ? (
        <Table
          label="Tokens"
          head={
            <>
              <Th>Token</Th>
              <Th className="max-wide:hidden">Scopes</Th>
              {isAdmin ? <Th className="max-tablet:hidden">Acts as</Th> : null}
              <Th className="max-tablet:hidden">Last use</Th>
              <Th className="max-tablet:hidden">Expires</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </>
          }
        >
          {page.items.map((token) => (
            <TokenRow key={token.id} token={token} showOwner={isAdmin} clock={clock} />
          ))}
        </Table>
      ) : (
        <EmptyState
          title={cursor ? "No more tokens" : "No token yet"}
          next={
            <Command
              says="Automation that has no browser makes its token on the machine that holds the database:"
              text="npx kimitsu token create --name my-script --scopes runs:read"
            />
          }
        >
          <p>Programs sign in with a token: a name, a few scopes, an end date. It acts as the person it belongs to.</p>
        </EmptyState>
      )}
      <Pager
        label="Pages of tokens"
        firstHref={cursor ? "/settings/tokens" : undefined}
        nextHref={page.nextCursor ? addressWith("/settings/tokens", { cursor: page.nextCursor }) : undefined}
      />
    </>
  );
}

function TokenRow({ token, showOwner, clock }: { token: TokenInfo; showOwner: boolean; clock: Date }) {
  const now = clock.toISOString();
  const expired = token.expiresAt !== null && token.expiresAt <= clock;
  const over = token.revokedAt !== null || expired;
  return (
    <Row className="hover:bg-sunken/60">
      <Td className="w-full align-top tablet:w-auto">
        <div className="flex flex-wrap items-center gap-x-2 font-medium">
          <span className={over ? "text-ink-3" : undefined}>{token.name}</span>
          {token.revokedAt ? <Tag>Revoked</Tag> : expired ? <Tag>Expired</Tag> : null}
        </div>
        <div className="text-sm text-ink-3">
          <code className="text-xs">{token.hint}</code> · made{" "}
          <RelativeTime at={token.createdAt.toISOString()} now={now} />
          {token.createdBy && token.createdBy !== token.user.name ? ` by ${token.createdBy}` : null}
        </div>
        <div className="text-sm text-ink-2 wide:hidden">
          {token.scopes.join(", ")}
          <ProfileName token={token} />
        </div>
        <div className="text-sm text-ink-3 tablet:hidden">
          {showOwner ? `${token.user.name} · ` : null}
          {over ? null : token.expiresAt ? (
            <>
              expires <RelativeTime at={token.expiresAt.toISOString()} now={now} />
            </>
          ) : (
            "does not expire"
          )}
        </div>
      </Td>
      <Td className="max-w-80 align-top max-wide:hidden">
        <div className="flex flex-wrap gap-1">
          {token.scopes.map((scope) => (
            <Tag key={scope} className="border border-line font-mono">
              {scope}
            </Tag>
          ))}
        </div>
        <div className="text-sm text-ink-2">
          <ProfileName token={token} />
        </div>
      </Td>
      {showOwner ? (
        <Td className="align-top text-sm max-tablet:hidden">
          <div>{token.user.name}</div>
          <div className="text-ink-3">{token.user.email}</div>
        </Td>
      ) : null}
      <Td className="align-top text-sm text-ink-2 max-tablet:hidden">
        {token.lastUsedAt ? <RelativeTime at={token.lastUsedAt.toISOString()} now={now} /> : "never"}
      </Td>
      <Td className="align-top text-sm text-ink-2 max-tablet:hidden">
        {token.expiresAt ? <RelativeTime at={token.expiresAt.toISOString()} now={now} /> : "never"}
      </Td>
      <Td className="text-right align-top">{over ? null : <RevokeToken id={token.id} name={token.name} />}</Td>
    </Row>
  );
}

/** What an MCP client with the token may do, or that it has none and is refused. */
function ProfileName({ token }: { token: TokenInfo }) {
  if (!token.scopes.includes("mcp")) return null;
  if (token.profile === null) return <span className="text-critical">No profile: make a new token</span>;
  return (
    <>
      {" "}
      profile <code className="text-xs">{token.profile}</code>
    </>
  );
}
