import type { Metadata } from "next";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";
import { requireSession } from "@/lib/auth/session";

export const metadata: Metadata = { title: "Inbox" };

export default async function InboxPage() {
  await requireSession();
  return (
    <>
      <PageBar title="Inbox" count={0} />
      <EmptyState
        title="Nothing waits for a person"
        next={<Command says="Check the project's files, and with them who is asked for what:" text="npx kimitsu validate" />}
      >
        <p>When an agent asks for a tool call that its policy puts in front of a person, the call waits here until someone approves or rejects it.</p>
        <p>
          Which calls those are is written in the agent&rsquo;s <code>access.allowlist</code>, under <code>require_approval</code>.
        </p>
      </EmptyState>
    </>
  );
}
