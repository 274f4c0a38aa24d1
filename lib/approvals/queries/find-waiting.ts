import type { DangerLevel } from "@/lib/policy/danger";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { type InboxReader, inboxWhere } from "@/lib/approvals/queries/inbox-reader";

/** What a notification may say about a call: nothing of its arguments, and so not its summary sentence either. */
export interface WaitingCall {
  id: string;
  tool: string;
  workflow: string;
  danger: DangerLevel;
  approvers: string[];
}

/** The call, if it still waits and the reader may decide it. */
export async function findWaiting(db: Db, reader: InboxReader, approvalId: string): Promise<WaitingCall | null> {
  const fits = inboxWhere(reader, { mine: true });
  if (fits === null) return null;
  const rows = await db.$queryRaw<WaitingCall[]>`
    SELECT a.id, a.server || '.' || a.tool AS tool, a.workflow, a.danger::text AS danger, a.approvers FROM approvals a WHERE ${Prisma.join([fits, Prisma.sql`a.id = ${approvalId}`], " AND ")}`;
  return rows[0] ?? null;
}
