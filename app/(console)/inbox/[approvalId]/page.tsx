import type { Metadata } from "next";
import { requirePermission } from "@/lib/auth/session";
import { readInboxView } from "../inbox-address";
import { inboxTitle } from "../inbox-title";
import { InboxScreen } from "../inbox-view";

export async function generateMetadata(): Promise<Metadata> {
  return { title: await inboxTitle("Inbox") };
}

export default async function ApprovalPage({ params, searchParams }: PageProps<"/inbox/[approvalId]">) {
  const session = await requirePermission("approvals:read");
  const { approvalId } = await params;
  return <InboxScreen session={session} view={readInboxView(await searchParams)} approvalId={approvalId} />;
}
