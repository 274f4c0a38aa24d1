import { EmptyState } from "@/components/ui/empty-state";

/** Inside the frame of the run, which exists: only the rest of the address does not. */
export default function StepNotFoundPage() {
  return (
    <EmptyState title="This run has no such step">
      <p>The address may be wrong. The steps that the run has are above.</p>
    </EmptyState>
  );
}
