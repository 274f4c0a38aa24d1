"use client";

import { FailureNumber } from "@/components/shell/failure";
import { MessagePage } from "@/components/shell/message-page";
import { Button, buttonClass } from "@/components/ui/button";

export default function ErrorPage({ error, retry }: { error: Error & { digest?: string }; retry: () => void }) {
  return (
    <MessagePage
      title="This page could not be shown"
      actions={
        <>
          <Button variant="primary" onClick={retry}>
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
