"use client";

import { FailureNumber } from "@/components/shell/failure";
import { Button, buttonClass } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";

/** Keeps the navigation, so that one broken page does not block the others. */
export default function ConsoleErrorPage({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <>
      <PageBar title="Error" />
      <EmptyState
        title="This page could not be shown"
        next={
          <div className="flex flex-wrap gap-2">
            <Button variant="primary" onClick={retry}>
              Try again
            </Button>
            {/* On a phone a card has no navigation of its own. */}
            <a href="/inbox" className={buttonClass({}, "hover:bg-sunken")}>
              Go to the inbox
            </a>
          </div>
        }
      >
        <p>Nothing was changed by opening it; the other pages may well work.</p>
        <FailureNumber digest={error.digest} />
      </EmptyState>
    </>
  );
}
