import type { Metadata } from "next";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";
import { requireSession } from "@/lib/auth/session";

export const metadata: Metadata = { title: "Insights" };

export default async function InsightsPage() {
  await requireSession();
  return (
    <>
      <PageBar title="Insights" />
      <EmptyState title="Nothing to count yet">
        <p>Once runs have ended, this page shows how long calls waited for a person, what was approved and rejected, and where money and time went.</p>
      </EmptyState>
    </>
  );
}
