import type { Metadata } from "next";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";
import { requireSession } from "@/lib/auth/session";

export const metadata: Metadata = { title: "Tools" };

export default async function ToolsPage() {
  await requireSession();
  return (
    <>
      <PageBar title="Tools" />
      <EmptyState title="Tool servers are declared in the repository" next={<Command says="Declared one? Check it, and the chain of its secrets:" text="npx kimitsu validate" />}>
        <p>
          A tool server is a file in <code>servers/</code>, or an entry of <code>servers.yaml</code>. Agents name the servers they may use and, tool by tool, what they may
          call.
        </p>
      </EmptyState>
    </>
  );
}
