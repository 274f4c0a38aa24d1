"use client";

import { CopyButton } from "@/components/ui/copy-button";

/** What a person can report: the id under which the log has the cause. The cause itself stays in the log. */
export function FailureNumber({ digest }: { digest?: string }) {
  if (!digest) return <p>The server&rsquo;s log says why.</p>;
  return (
    <div className="grid gap-2">
      <p>The server&rsquo;s log has the cause under this number:</p>
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken py-1 pr-1.5 pl-3.5">
        <code className="min-w-0 flex-1 text-ink wrap-anywhere">{digest}</code>
        <CopyButton text={digest} what="number" />
      </div>
    </div>
  );
}
