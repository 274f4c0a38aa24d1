import type { Metadata } from "next";
import Link from "next/link";
import { describeCount } from "@/components/runs/describe-figures";
import { KeepFresh } from "@/components/runs/keep-fresh";
import { StatusMark } from "@/components/runs/status-mark";
import {
  DANGER_TONES,
  describeAnnotations,
  GONE_WORDS,
  HEALTH_WORDS,
  NO_TOOLS_WORDS,
  PIN_WORDS,
} from "@/components/tools/tool-words";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageBar } from "@/components/ui/page-bar";
import { RelativeTime } from "@/components/ui/relative-time";
import { Row, Table, Td, Th } from "@/components/ui/table";
import { Tag } from "@/components/ui/tag";
import { requirePermission } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { type ListedTool, listTools } from "@/lib/tools/registry/describe-tool";
import { listRegistryServers, type RegistryServer } from "@/lib/tools/registry/list-registry";
import { runtime } from "@/lib/runs/runtime";
import { findCurrentProject } from "../workflows/current-project";

export const metadata: Metadata = { title: "Tools" };

const REFRESH_MS = 10_000;

export default async function ToolsPage() {
  await requirePermission("registry:read");
  const [servers, tools] = findCurrentProject()
    ? await Promise.all([listRegistryServers(runtime()), listTools(runtime())])
    : [[], []];
  const now = engineDeps().now().toISOString();
  const used = servers.filter((server) => server.agents.length > 0 || server.profiles.length > 0 || server.tools > 0);
  const unused = servers.filter((server) => !used.includes(server));
  const listed = tools.filter(({ goneAt }) => goneAt === null);
  const drifted = listed.filter(({ pin }) => pin === "changed" || pin === "new" || pin === "renamed");
  return (
    <>
      <PageBar title="Tools" count={listed.length} />
      {servers.length === 0 ? <NoServers /> : null}
      {drifted.length > 0 ? <Drift tools={drifted} /> : null}
      {used.map((server) => (
        <ServerSection
          key={server.name}
          server={server}
          tools={tools.filter((tool) => tool.server === server.name)}
          now={now}
        />
      ))}
      {unused.length > 0 ? <UnusedServers servers={unused} now={now} /> : null}
      <KeepFresh everyMs={REFRESH_MS} />
    </>
  );
}

const toolHref = ({ server, tool }: Pick<ListedTool, "server" | "tool">): string =>
  `/tools/${encodeURIComponent(server)}/${encodeURIComponent(tool)}`;

function Drift({ tools }: { tools: readonly ListedTool[] }) {
  return (
    <Notice
      tone="note"
      title={`${describeCount(tools.length, "tool")} not as trusted`}
      className="mx-4 my-4 border-high/45 bg-high-soft tablet:mx-6"
    >
      <p>
        {tools.slice(0, 8).map((tool) => (
          <span key={`${tool.server} ${tool.tool}`} className="mr-4 inline-block">
            <Link href={toolHref(tool)} className="text-ink underline underline-offset-3">
              <code>{`${tool.server}.${tool.tool}`}</code>
            </Link>{" "}
            {PIN_WORDS[tool.pin].word}
          </span>
        ))}
      </p>
      <p>
        Look at what changed as you would look at code, then run <code>npx kimitsu lock</code> and commit the file.
      </p>
    </Notice>
  );
}

function ServerSection({ server, tools, now }: { server: RegistryServer; tools: readonly ListedTool[]; now: string }) {
  const id = `server-${server.name.replaceAll("/", "-")}`;
  return (
    <section aria-labelledby={id} className="border-b border-line pt-5 last:border-b-0">
      <header className="grid gap-1 px-4 pb-3 tablet:px-6">
        <h2 className="flex flex-wrap items-baseline gap-x-4 text-lg font-semibold">
          <span id={id}>{server.name}</span>
          <Health server={server} className="text-base font-normal text-ink-2" />
        </h2>
        {server.description ? <p className="text-ink-2">{server.description}</p> : null}
        <p className="flex flex-wrap gap-x-5 text-sm text-ink-3">
          <span>
            {server.url ? (
              <code className="wrap-anywhere">{server.url}</code>
            ) : server.origin === "builtin" ? (
              "built in"
            ) : (
              server.transport
            )}
          </span>
          {server.file ? <code className="wrap-anywhere">{server.file}</code> : null}
          <span>{describeUsers(server)}</span>
          <Checked server={server} now={now} />
        </p>
        {server.lastError ? <p className="text-sm text-critical wrap-anywhere">{server.lastError}</p> : null}
      </header>
      {tools.length > 0 ? (
        <ToolTable server={server.name} tools={tools} />
      ) : (
        <p className="px-4 pb-5 text-sm text-ink-2 tablet:px-6">{NO_TOOLS_WORDS[server.health]}</p>
      )}
    </section>
  );
}

/** Built-in servers need no connection. */
function describeUsers({ agents, profiles }: RegistryServer): string {
  const users = [...agents, ...profiles.map((name) => `profile ${name}`)];
  return users.length > 0 ? `used by ${users.join(", ")}` : "used by no agent";
}

function Health({ server, className }: { server: RegistryServer; className: string }) {
  return server.origin === "builtin" && server.health === "unknown" ? null : (
    <StatusMark {...HEALTH_WORDS[server.health]} className={className} />
  );
}

function Checked({ server, now }: { server: RegistryServer; now: string }) {
  return server.checkedAt ? (
    <span>
      checked <RelativeTime at={server.checkedAt.toISOString()} now={now} />
    </span>
  ) : null;
}

/** What an agent could name, but none does. */
function UnusedServers({ servers, now }: { servers: readonly RegistryServer[]; now: string }) {
  return (
    <section aria-labelledby="unused-title" className="grid gap-2 px-4 py-5 tablet:px-6">
      <h2 id="unused-title" className="font-semibold">
        Used by no agent
      </h2>
      <ul className="grid gap-2">
        {servers.map((server) => (
          <li key={server.name} className="grid gap-x-6 tablet:grid-cols-[180px_minmax(0,1fr)]">
            <code className="wrap-anywhere">{server.name}</code>
            <div className="text-ink-2">
              <p className="flex flex-wrap items-baseline gap-x-5">
                <Health server={server} className="text-sm" />
                {server.description}
                <span className="text-sm text-ink-3">{server.file ?? "built in"}</span>
                <span className="text-sm text-ink-3">
                  <Checked server={server} now={now} />
                </span>
              </p>
              {server.lastError ? <p className="text-sm text-critical wrap-anywhere">{server.lastError}</p> : null}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ToolTable({ server, tools }: { server: string; tools: readonly ListedTool[] }) {
  return (
    <Table
      label={`Tools of ${server}`}
      head={
        <>
          <Th>Tool</Th>
          <Th>Danger</Th>
          <Th className="max-wide:hidden">The server declares</Th>
          <Th className="max-tablet:hidden">Agents</Th>
          <Th className="max-tablet:hidden">Definition</Th>
        </>
      }
    >
      {tools.map((tool) => (
        <ToolRow key={tool.tool} tool={tool} />
      ))}
    </Table>
  );
}

function ToolRow({ tool }: { tool: ListedTool }) {
  const declared = describeAnnotations(tool.annotations);
  return (
    <Row className="hover:bg-sunken/60">
      <Td className="w-full tablet:w-auto">
        <Link
          href={toolHref(tool)}
          className="underline decoration-line-strong underline-offset-3 hover:decoration-ink"
        >
          <code className="wrap-anywhere">{tool.tool}</code>
        </Link>
        <p className="text-sm text-ink-2">{tool.title}</p>
        <p className="text-sm text-ink-3 tablet:hidden">{tool.dangerReason}</p>
        {tool.hidesText ? <Tag tone="critical">hides characters</Tag> : null}
        {tool.goneAt === null && (tool.pin === "pinned" || tool.pin === "trusted_first_use") ? null : (
          <DefinitionTag tool={tool} className="tablet:hidden" />
        )}
      </Td>
      <Td>
        <Tag tone={DANGER_TONES[tool.danger]}>{tool.danger}</Tag>
        <p className="max-w-80 text-sm text-ink-3 max-tablet:hidden">{tool.dangerReason}</p>
      </Td>
      <Td className="text-sm text-ink-2 max-wide:hidden">{declared.length > 0 ? declared.join(", ") : "nothing"}</Td>
      <Td className="text-sm text-ink-2 max-tablet:hidden">
        {tool.agents.length > 0
          ? `${tool.agents.length}: ${tool.agents.slice(0, 3).join(", ")}${tool.agents.length > 3 ? "…" : ""}`
          : "none may use it"}
      </Td>
      <Td className="max-tablet:hidden">
        <DefinitionTag tool={tool} />
      </Td>
    </Row>
  );
}

/** A tool that its server no longer lists cannot be called, whatever is known of its definition. */
function DefinitionTag({ tool, className }: { tool: ListedTool; className?: string }) {
  const { word, tone } = tool.goneAt === null ? PIN_WORDS[tool.pin] : GONE_WORDS;
  return (
    <Tag tone={tone} className={className}>
      {word}
    </Tag>
  );
}

function NoServers() {
  return (
    <EmptyState
      title="Tool servers are declared in the repository"
      next={<Command says="Declared one? Check it, and the chain of its secrets:" text="npx kimitsu validate" />}
    >
      <p>
        A tool server is a file in <code>servers/</code>, or an entry of <code>servers.yaml</code>. Agents name the
        servers they may use and, tool by tool, what they may call.
      </p>
    </EmptyState>
  );
}
