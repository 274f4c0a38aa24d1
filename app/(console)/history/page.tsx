import type { Metadata } from "next";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";
import { requireSession } from "@/lib/auth/session";

export const metadata: Metadata = { title: "History" };

export default async function HistoryPage() {
  await requireSession();
  return (
    <>
      <PageBar title="History" count={0} />
      <EmptyState
        title="No run yet"
        next={<Command says="Runs can be started by programs too. They need a token:" text="npx kimitsu token create --name my-script --scopes runs:read,runs:write" />}
      >
        <p>Every run of a workflow stays here: its steps, what the agents asked for, who decided, what the tools answered, and what it cost.</p>
      </EmptyState>
    </>
  );
}
