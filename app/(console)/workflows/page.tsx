import type { Metadata } from "next";
import { Command } from "@/components/ui/command";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";
import { requireSession } from "@/lib/auth/session";

export const metadata: Metadata = { title: "Workflows" };

export default async function WorkflowsPage() {
  await requireSession();
  return (
    <>
      <PageBar title="Workflows" />
      <EmptyState title="Workflows live in the repository" next={<Command says="After a change, see whether everything fits together:" text="npx kimitsu validate" />}>
        <p>
          Each <code>workflows/*.workflow.yaml</code> of the project folder is one workflow. They are edited there, reviewed like code, and take effect with the next
          start.
        </p>
      </EmptyState>
    </>
  );
}
