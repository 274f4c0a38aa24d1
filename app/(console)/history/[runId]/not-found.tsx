import { EmptyState } from "@/components/ui/empty-state";

/** Inside the frame of the run, which is there: only what its address named further is not. */
export default function StepNotFoundPage() {
  return (
    <EmptyState title="This run has no such step">
      <p>The address may be wrong. The steps that the run has are above.</p>
    </EmptyState>
  );
}
