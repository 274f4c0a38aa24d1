import type { Metadata } from "next";
import Link from "next/link";
import { notFound } from "next/navigation";
import { ArrowLeft } from "lucide-react";
import { Fact, Facts } from "@/components/runs/facts";
import { LocalTime } from "@/components/runs/local-time";
import { FoldedText } from "@/components/runs/value-view";
import { AgentPolicies } from "@/components/tools/agent-policies";
import { ArgumentList } from "@/components/tools/argument-list";
import { DefinitionDiff } from "@/components/tools/definition-diff";
import { DANGER_TONES, describeAnnotations, GONE_WORDS, PIN_WORDS } from "@/components/tools/tool-words";
import { buttonClass } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Tag } from "@/components/ui/tag";
import { requirePermission } from "@/lib/people/session/session";
import { findToolCard, type ToolCard } from "@/lib/tools/registry/describe-tool";
import { runtime } from "@/lib/runs/runtime";
import { findCurrentProject } from "../../../workflows/current-project";

export async function generateMetadata({ params }: PageProps<"/tools/[server]/[tool]">): Promise<Metadata> {
  const { server, tool } = await params;
  return { title: `${decodeURIComponent(server)}.${decodeURIComponent(tool)}` };
}

export default async function ToolPage({ params }: PageProps<"/tools/[server]/[tool]">) {
  await requirePermission("registry:read");
  const { server, tool: name } = await params;
  const tool = findCurrentProject()
    ? await findToolCard(runtime(), decodeURIComponent(server), decodeURIComponent(name))
    : null;
  if (!tool) notFound();
  return (
    <>
      <header className="flex min-h-13 items-center gap-2.5 border-b border-line px-4 tablet:px-6">
        <Link
          href="/tools"
          aria-label="Back to Tools"
          className={buttonClass({ variant: "quiet", size: "icon" }, "-ml-2")}
        >
          <ArrowLeft aria-hidden />
        </Link>
        <h1 className="min-w-0 truncate text-lg font-semibold">
          {tool.server}.{tool.tool}
        </h1>
        <Tag tone={DANGER_TONES[tool.danger]}>{tool.danger}</Tag>
        {tool.goneAt ? <Tag tone={GONE_WORDS.tone}>{GONE_WORDS.word}</Tag> : null}
      </header>
      <div className="grid max-w-280 gap-8 px-4 py-5 tablet:px-6">
        <About tool={tool} />
        {tool.pin === "changed" ? <Changed tool={tool} /> : null}
        <section aria-labelledby="policy-title" className="grid gap-3">
          <h2 id="policy-title" className="font-semibold">
            What the policy says
          </h2>
          {tool.policies.length > 0 ? (
            <AgentPolicies policies={tool.policies} />
          ) : (
            <p className="text-ink-2">No agent has this tool on its allowlist, so every call of it is denied.</p>
          )}
        </section>
        <section aria-labelledby="arguments-title" className="grid gap-3">
          <h2 id="arguments-title" className="font-semibold">
            Arguments
          </h2>
          <ArgumentList schema={tool.inputSchema} />
        </section>
        <details className="rounded-lg border border-line">
          <summary className="px-3.5 py-2 text-sm text-ink-2">The whole definition, as it was last seen</summary>
          <div className="border-t border-line px-3.5 py-2.5">
            <code className="block whitespace-pre-wrap wrap-anywhere">{tool.now}</code>
          </div>
        </details>
      </div>
    </>
  );
}

function About({ tool }: { tool: ToolCard }) {
  const declared = describeAnnotations(tool.annotations);
  const { word, about } = PIN_WORDS[tool.pin];
  return (
    <section aria-label="About" className="grid gap-4">
      {tool.goneAt ? (
        <Notice tone="note" title={`${tool.server} no longer lists this tool`}>
          <p>
            It was first missing at <LocalTime at={tool.goneAt.toISOString()} withDate />, so no agent can call it.
            Below is how it was last seen.
          </p>
        </Notice>
      ) : null}
      {tool.hidesText ? (
        <Notice tone="failed" title="This definition holds characters that cannot be seen">
          <p>
            They are written out below as ⟨U+…⟩, for models too. Calls of this tool are asked about until the definition
            is locked.
          </p>
        </Notice>
      ) : null}
      <div className="grid gap-0.5 border-l-2 border-line-strong pl-3.5">
        <p className="text-sm text-ink-3">Written by the tool server</p>
        {tool.title ? <p className="font-medium">{tool.title}</p> : null}
        {tool.description ? <FoldedText text={tool.description} /> : <p className="text-ink-2">No description.</p>}
      </div>
      <Facts>
        <Fact name="Danger">
          {tool.danger}, because {tool.dangerReason}
        </Fact>
        <Fact name="The server declares">{declared.length > 0 ? declared.join(", ") : "nothing"}</Fact>
        <Fact name="First seen">
          <LocalTime at={tool.firstSeenAt.toISOString()} withDate />
        </Fact>
        <Fact name="Last seen">
          <LocalTime at={tool.lastSeenAt.toISOString()} withDate />
        </Fact>
        <Fact name="Fingerprint">
          <code title={tool.fingerprint}>{tool.fingerprint.replace("sha256:", "").slice(0, 12)}</code>
        </Fact>
      </Facts>
      <p className="text-ink-2">
        <strong className="font-medium text-ink">Definition {word}.</strong> {about}
      </p>
    </section>
  );
}

function Changed({ tool }: { tool: ToolCard }) {
  return (
    <section aria-labelledby="drift-title" className="grid gap-3">
      <h2 id="drift-title" className="font-semibold">
        What changed since it was trusted
      </h2>
      {tool.trusted ? (
        <DefinitionDiff before={tool.trusted} after={tool.now} />
      ) : (
        <p className="text-ink-2">
          The trusted definition was never seen by this installation, only its fingerprint.{" "}
          <code>npx kimitsu lock --check</code> says which fields differ.
        </p>
      )}
    </section>
  );
}
