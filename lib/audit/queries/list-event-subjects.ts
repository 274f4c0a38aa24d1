import type { EventData } from "@/lib/audit/rules/audit-event";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";

/** The call that an event is about. */
export interface EventSubject {
  /** `server.tool` */
  tool: string;
  /** The sentence on its card, made from its arguments. */
  summary: string;
}

type Subjects = (data: EventData) => EventSubject | null;

/** Which call each of these events is about; most name it only by an id, its own or that of its approval. */
export async function listEventSubjects(db: Db, events: readonly { data: EventData }[]): Promise<Subjects> {
  const idsIn = (name: string) => [...new Set(events.flatMap(({ data }) => textOf(data, name) ?? []))];
  const [callIds, approvalIds] = [idsIn("call_id"), idsIn("approval_id")];
  const select = { id: true, server: true, tool: true, summary: true } as const;
  const [calls, approvals] = await Promise.all([
    callIds.length === 0 ? [] : db.call.findMany({ where: { id: { in: callIds } }, select }),
    approvalIds.length === 0 ? [] : db.approval.findMany({ where: { id: { in: approvalIds } }, select }),
  ]);
  const byId = new Map(
    [...calls, ...approvals].map(({ id, server, tool, summary }) => [
      id,
      { tool: `${server}.${tool}`, summary: showInvisible(summary) },
    ]),
  );
  return (data) => byId.get(textOf(data, "call_id") ?? "") ?? byId.get(textOf(data, "approval_id") ?? "") ?? null;
}

const textOf = (data: EventData, name: string): string | null => (typeof data[name] === "string" ? data[name] : null);
