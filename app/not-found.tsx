import type { Metadata } from "next";
import { MessagePage } from "@/components/shell/message-page";
import { buttonClass } from "@/components/ui/button";

export const metadata: Metadata = { title: "Not found" };

export default function NotFoundPage() {
  return (
    <MessagePage
      title="There is no such page"
      actions={
        <>
          <a href="/inbox" className={buttonClass({ variant: "primary" }, "hover:bg-ink/88")}>
            Go to the inbox
          </a>
          <a href="/history" className={buttonClass({}, "hover:bg-sunken")}>
            Look in History
          </a>
        </>
      }
    >
      <p>The address may be mistyped, what it named may be gone, or you may not be allowed to see it.</p>
    </MessagePage>
  );
}
