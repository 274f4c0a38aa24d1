import type { Metadata } from "next";
import { headers } from "next/headers";
import { ChevronRight } from "lucide-react";
import type { ApiDocument } from "@/components/docs/api-document";
import { Contents } from "@/components/docs/contents";
import { listOperations } from "@/components/docs/list-operations";
import { OperationCard } from "@/components/docs/operation-card";
import { Prose } from "@/components/docs/prose";
import { SchemaTree } from "@/components/docs/schema-tree";
import { buttonClass } from "@/components/ui/button";
import { Command } from "@/components/ui/command";
import { Seal } from "@/components/ui/seal";
import { openApiDocument } from "@/lib/http/openapi";

export const metadata: Metadata = { title: "API reference" };

const TOKEN_COMMAND = "npx kimitsu token create --name my-script --scopes runs:read";

/** Rendered from the document that /openapi.json serves, so the two cannot differ. Public, like that document. */
export default async function DocsPage() {
  const document = openApiDocument() as unknown as ApiDocument;
  const groups = listOperations(document);
  const schemas = document.components?.schemas ?? {};
  const origin = await ownOrigin();
  return (
    <div className="grid min-h-dvh grid-cols-[minmax(0,1fr)] wide:grid-cols-[264px_minmax(0,1fr)]">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-ink px-3.5 py-2 font-medium text-paper focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        Skip to content
      </a>
      <nav
        aria-label="Contents"
        className="sticky top-0 h-dvh overflow-y-auto border-r border-line bg-sunken px-4.5 py-4.5 max-wide:hidden"
      >
        <a href="/inbox" className="mb-6 flex items-center gap-2.5 rounded-[6px] font-semibold tracking-[-0.01em]">
          <Seal />
          Kimitsu
        </a>
        <Contents groups={groups} />
      </nav>
      <main id="content" tabIndex={-1} className="min-w-0 outline-none">
        <header className="flex h-13 items-center gap-3 border-b border-line px-4 tablet:px-6">
          <Seal className="wide:hidden" />
          <h1 className="text-lg font-semibold">API reference</h1>
          <span className="text-sm text-ink-3">{document.info.version}</span>
          <a href="/openapi.json" className={buttonClass({ size: "small" }, "ml-auto hover:bg-sunken")}>
            OpenAPI 3.1
          </a>
        </header>
        <div className="mx-auto grid max-w-190 gap-9 px-4 py-7 tablet:px-6">
          <section className="grid gap-4">
            <p className="text-ink-2 text-pretty">{document.info.description}</p>
            <p className="text-ink-2 text-pretty">
              A program signs in with a token in the header <code>Authorization: Bearer …</code>; a token has scopes and
              acts as the person it belongs to. Make one under Settings, Tokens, or:
            </p>
            <Command text={TOKEN_COMMAND} />
          </section>
          <details className="rounded-lg border border-line px-3.5 py-2.5 wide:hidden">
            <summary className="flex items-center gap-2 font-medium">
              <ChevronRight
                aria-hidden
                className="size-4 text-ink-3 transition-transform [[open]>summary>&]:rotate-90"
              />
              Contents
            </summary>
            <nav aria-label="Contents" className="pt-3">
              <Contents groups={groups} />
            </nav>
          </details>
          {schemas.Error ? (
            <section className="grid gap-2.5">
              <h2 className="text-xl font-semibold tracking-[-0.015em]">Errors</h2>
              <p className="text-ink-2 text-pretty">
                Every refusal has this one form. <code>issues</code> lists all problems of a request, not the first;{" "}
                <code>request_id</code> leads to the log.
              </p>
              <SchemaTree schema={schemas.Error} schemas={schemas} />
            </section>
          ) : null}
          {groups.map((group) => (
            <section key={group.name} className="grid">
              <div className="grid gap-1 pb-5">
                <h2 className="text-xl font-semibold tracking-[-0.015em]">{group.name}</h2>
                <p className="text-ink-2">
                  <Prose text={group.description} />
                </p>
              </div>
              {group.operations.map((listed) => (
                <OperationCard key={listed.operation.operationId} listed={listed} schemas={schemas} origin={origin} />
              ))}
            </section>
          ))}
        </div>
      </main>
    </div>
  );
}

/** The address of this request, so that the examples can be pasted as they are. */
async function ownOrigin(): Promise<string> {
  const given = await headers();
  const host = given.get("x-forwarded-host") ?? given.get("host") ?? "localhost:3000";
  const protocol = given.get("x-forwarded-proto") ?? "http";
  return /^[\w.:[\]-]+$/.test(host) && /^https?$/.test(protocol) ? `${protocol}://${host}` : "http://localhost:3000";
}
