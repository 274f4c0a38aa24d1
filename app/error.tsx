"use client";

import { FailureNumber } from "@/components/shell/failure";
import { MessagePage } from "@/components/shell/message-page";
import { Button, buttonClass } from "@/components/ui/button";

export default function ErrorPage({ error, reset }: { error: Error & { digest?: string }; reset: () => void }) {
  return (
    <MessagePage
      title="This page could not be shown"
      actions={
        <>
          <Button variant="primary" onClick={reset}>
            Try again
          </Button>
          <a href="/inbox" className={buttonClass({}, "hover:bg-sunken")}>
            Go to the inbox
          </a>
        </>
      }
    >
      <p>Nothing was changed by opening it.</p>
      <FailureNumber digest={error.digest} />
    </MessagePage>
  );
}
