import Link from "next/link";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import type { ClientToken } from "@/lib/proxy/queries/list-client-tokens";

const SHOWN_MAX = 10;

/** Tokens that a client can sign in with now, those used last first. */
export function TokenList({
  tokens,
  isEveryones,
  now,
}: {
  tokens: readonly ClientToken[];
  isEveryones: boolean;
  now: string;
}) {
  const more = tokens.length - SHOWN_MAX;
  return (
    <section aria-labelledby="tokens-title" className="border-b border-line pt-5">
      <div className="flex flex-wrap items-baseline gap-x-4 px-4 pb-2 tablet:px-6">
        <h2 id="tokens-title" className="text-lg font-semibold">
          {isEveryones ? "Tokens" : "Your tokens"}
        </h2>
        <Link
          href="/settings/tokens"
          className="text-sm text-ink-2 underline decoration-line-strong underline-offset-3 hover:decoration-ink"
        >
          {more > 0 ? `${more} more in Settings, Tokens` : "Settings, Tokens"}
        </Link>
      </div>
      <Table
        label="Tokens of clients"
        head={
          <>
            <Th>Token</Th>
            <Th className="max-tablet:hidden">Profile</Th>
            {isEveryones ? <Th className="max-tablet:hidden">Acts as</Th> : null}
            <Th className="max-tablet:hidden">Expires</Th>
            <Th className="text-right">Last use</Th>
          </>
        }
      >
        {tokens.slice(0, SHOWN_MAX).map((token) => (
          <Row key={token.id}>
            <Td className="max-tablet:w-full">
              <span className="font-medium wrap-anywhere">{token.name}</span>{" "}
              <code className="text-xs text-ink-3">{token.hint}</code>
              <span className="block text-sm text-ink-2 tablet:hidden">
                {isEveryones ? `${token.person} · ` : ""}
                {token.profile ?? "no profile"}
              </span>
            </Td>
            <Td className="max-tablet:hidden">
              {token.profile === null ? <span className="text-ink-3">none</span> : <code>{token.profile}</code>}
            </Td>
            {isEveryones ? <Td className="max-tablet:hidden">{token.person}</Td> : null}
            <Td className="text-sm text-ink-2 max-tablet:hidden">
              {token.expiresAt ? <RelativeTime at={token.expiresAt.toISOString()} now={now} /> : "never"}
            </Td>
            <Td className="text-right text-sm text-ink-2">
              {token.lastUsedAt ? <RelativeTime at={token.lastUsedAt.toISOString()} now={now} /> : "never"}
            </Td>
          </Row>
        ))}
      </Table>
    </section>
  );
}
