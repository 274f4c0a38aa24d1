import { findSession } from "@/lib/people/session/session";
import { engineDeps } from "@/lib/database/deps";
import { countPending } from "@/lib/approvals/queries/inbox-counts";

/** "(7) Inbox": the tab shows how many wait. People who are not signed in do not see the number. */
export async function inboxTitle(title: string): Promise<string> {
  if (!(await findSession())) return title;
  const count = await countPending(engineDeps().db);
  return count === 0 ? title : `(${count >= 1000 ? "999+" : count}) ${title}`;
}
