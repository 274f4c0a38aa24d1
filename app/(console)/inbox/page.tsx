import type { Metadata } from "next";
import { requirePermission } from "@/lib/people/session/session";
import { oneText } from "../search-params";
import { readInboxView } from "./inbox-address";
import { inboxTitle } from "./inbox-title";
import { InboxScreen } from "./inbox-view";

export async function generateMetadata(): Promise<Metadata> {
  return { title: await inboxTitle("Inbox") };
}

/** `/inbox/{approvalId}` is this page too: proxy.ts hands the id over as `card`. */
export default async function InboxPage({ searchParams }: PageProps<"/inbox">) {
  const session = await requirePermission("approvals:read");
  const params = await searchParams;
  return <InboxScreen session={session} view={readInboxView(params)} approvalId={oneText(params.card) ?? null} />;
}
