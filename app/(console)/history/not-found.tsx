import Link from "next/link";
import { buttonClass } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";

/** A deleted run looks like one that never existed; the audit page can tell the difference. */
export default function RunNotFoundPage() {
  return (
    <>
      <PageBar title="Not found" />
      <EmptyState
        title="There is no such run"
        next={
          <div className="flex flex-wrap gap-2">
            <Link href="/history" className={buttonClass({}, "hover:bg-sunken")}>
              Go to History
            </Link>
            <Link href="/audit" className={buttonClass({}, "hover:bg-sunken")}>
              Look for it on the audit trail
            </Link>
          </div>
        }
      >
        <p>
          The address may be wrong, or the run was removed: <code>retention</code> in <code>policy.yaml</code> says how
          long runs are kept after their end. The events of a removed run stay on the audit trail.
        </p>
      </EmptyState>
    </>
  );
}
