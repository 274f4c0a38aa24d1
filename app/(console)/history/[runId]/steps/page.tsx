import { redirect } from "next/navigation";
import { EmptyState } from "@/components/ui/empty-state";
import { loadRun } from "../load-run";

/** Opens where the reader most likely wants to look: what failed, what waits, else the first agent. */
export default async function RunStepsPage({ params }: PageProps<"/history/[runId]/steps">) {
  const { run } = await loadRun((await params).runId);
  const step =
    run.steps.find(({ status }) => status === "failed") ??
    run.steps.find(
      ({ status }) => status === "pending_approval" || status === "needs_human_review" || status === "running",
    ) ??
    run.steps.find(({ type }) => type === "agent") ??
    run.steps[0];
  if (step) redirect(`/history/${run.id}/steps/${step.id}`);
  return (
    <EmptyState title="No step">
      <p>This run has no step on record.</p>
    </EmptyState>
  );
}
