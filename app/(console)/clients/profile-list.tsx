import { describeCount } from "@/components/runs/describe-figures";
import { CopyButton } from "@/components/ui/copy-button";
import { Tag } from "@/components/ui/tag";
import type { ProjectProfile } from "@/lib/config/project";
import type { ClientToken } from "@/lib/proxy/queries/list-client-tokens";

const MODES = { tools: "lists every tool", meta: "search, load and execute" } as const;

/** What clients may do, at a glance; the file says all of it. */
export function ProfileList({
  profiles,
  tokens,
}: {
  profiles: readonly ProjectProfile[];
  tokens: readonly ClientToken[];
}) {
  return (
    <section aria-labelledby="profiles-title" className="grid gap-3 border-b border-line px-4 py-5 tablet:px-6">
      <h2 id="profiles-title" className="text-lg font-semibold">
        Profiles
      </h2>
      <ul className="grid gap-x-6 gap-y-4 wide:grid-cols-2">
        {profiles.map((profile) => (
          <Profile
            key={profile.name}
            profile={profile}
            tokens={tokens.filter((token) => token.profile === profile.name).length}
          />
        ))}
      </ul>
    </section>
  );
}

function Profile({ profile: { name, file, definition }, tokens }: { profile: ProjectProfile; tokens: number }) {
  const command = `npx kimitsu connect claude-code --profile ${name}`;
  return (
    <li className="grid content-start gap-1.5 rounded-lg border border-line bg-panel px-4 py-3">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <code className="font-semibold wrap-anywhere">{name}</code>
        <Tag>{MODES[definition.mode]}</Tag>
        <span className="ml-auto text-sm text-ink-2">{tokens === 0 ? "no token" : describeCount(tokens, "token")}</span>
      </p>
      {definition.description ? <p className="text-ink-2">{definition.description}</p> : null}
      <ul aria-label={`Servers of ${name}`} className="grid gap-0.5 text-sm">
        {definition.servers.map((server) => (
          <li key={server.name} className="flex flex-wrap gap-x-3">
            <code className="wrap-anywhere">{server.name}</code>
            <span className="text-ink-2">{describeAccess(server.access?.allowlist ?? ["*"])}</span>
          </li>
        ))}
      </ul>
      <p className="flex flex-wrap gap-x-4 text-sm text-ink-3">
        <code className="wrap-anywhere">{file}</code>
        {definition.session_budget_usd === undefined ? null : (
          <span>at most ${definition.session_budget_usd} a session</span>
        )}
      </p>
      <p className="flex items-center gap-1 border-t border-line pt-1.5">
        <code className="min-w-0 flex-1 text-sm wrap-anywhere">{command}</code>
        <CopyButton text={command} what={`command that connects a client to ${name}`} small />
      </p>
    </li>
  );
}

type Entry = string | { name: string; require_approval?: unknown };

/** "4 tools, 1 with approval"; a pattern is named, because it may stand for any number of tools. */
function describeAccess(allowlist: readonly Entry[]): string {
  const names = allowlist.map((entry) => (typeof entry === "string" ? entry : entry.name));
  const patterns = names.filter((name) => name.endsWith("*"));
  const exact = names.length - patterns.length;
  const asked = allowlist.filter((entry) => typeof entry === "object" && entry.require_approval !== undefined).length;
  return [
    ...(exact > 0 ? [describeCount(exact, "tool")] : []),
    ...patterns.map((pattern) => (pattern === "*" ? "all other tools" : pattern)),
    ...(asked > 0 ? [`${asked} with approval`] : []),
  ]
    .join(", ")
    .replace(/^all other tools/, "all tools");
}
