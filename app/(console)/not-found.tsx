import Link from "next/link";
import { buttonClass } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";

/**
 * Inside the frame, so that other pages are one click away. What may not be seen and what does not exist look the same.
 */
export default function ConsoleNotFoundPage() {
  return (
    <>
      <PageBar title="Not found" />
      <EmptyState
        title="There is no such page"
        next={
          <div>
            <Link href="/inbox" className={buttonClass({}, "hover:bg-sunken")}>
              Go to the inbox
            </Link>
          </div>
        }
      >
        <p>What the address named may be gone, or you may not be allowed to see it.</p>
      </EmptyState>
    </>
  );
}
