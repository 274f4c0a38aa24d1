"use client";

import { FailureNumber } from "@/components/shell/failure";
import { Button } from "@/components/ui/button";
import { EmptyState } from "@/components/ui/empty-state";
import { PageBar } from "@/components/ui/page-bar";

/** Keeps the navigation, so that one broken page does not take the others with it. */
export default function ConsoleErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <>
      <PageBar title="Error" />
      <EmptyState
        title="This page could not be shown"
        next={
          <div>
            <Button variant="primary" onClick={reset}>
              Try again
            </Button>
          </div>
        }
      >
        <p>Nothing was changed by opening it; the other pages may well work.</p>
        <FailureNumber digest={error.digest} />
      </EmptyState>
    </>
  );
}
