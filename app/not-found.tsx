import type { Metadata } from "next";
import { MessagePage } from "@/components/shell/message-page";
import { buttonClass } from "@/components/ui/button";
import { findSession } from "@/lib/people/session/session";
import ConsoleLayout from "./(console)/layout";
import ConsoleNotFoundPage from "./(console)/not-found";

export const metadata: Metadata = { title: "Not found" };

/** For an unknown address. A signed-in person sees the same as for a page that they may not open. */
export default async function NotFoundPage() {
  if (await findSession()) {
    return (
      <ConsoleLayout>
        <ConsoleNotFoundPage />
      </ConsoleLayout>
    );
  }
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
