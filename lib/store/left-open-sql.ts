import type { Actor } from "@/lib/domain/actor";
import { AGENTS_SERVER, type CallStatus, RUN_ENDED } from "@/lib/domain/call-state";
import type { NewEvent, PlacedEvent } from "@/lib/store/event-sql";
import { Prisma } from "@/lib/store/generated/client";

/** What may still be open in a run when it ends. Each gets its event, if the end is what moved it. */
export interface LeftOpen {
  steps: { id: string; key: string }[];
  calls: { id: string; stepId: string; server: string; tool: string; status: CallStatus }[];
  approvals: { id: string; callId: string }[];
}

/** The ids of everything that the statement ended, from CTEs that return them: an event about another id is not written. */
export const ENDED_IDS = Prisma.sql`SELECT id FROM steps_ended UNION ALL SELECT id FROM calls_ended UNION ALL SELECT id FROM approvals_ended`;

export function leftOpenEvents(runId: string, open: LeftOpen, actor: Actor, at: Date): PlacedEvent[] {
  const about = (id: string, type: string, data: NewEvent["data"]): PlacedEvent => ({ about: id, event: { chainId: runId, type, at, actor, data } });
  return [
    ...open.approvals.map(({ id, callId }) => about(id, "approval.cancelled", { approval_id: id, call_id: callId })),
    ...open.calls.map((call) => {
      const data = { call_id: call.id, step_id: call.stepId, server: call.server, tool: call.tool };
      if (call.status !== "executing") return about(call.id, "call.cancelled", data);
      return call.server === AGENTS_SERVER ? about(call.id, "call.failed", { ...data, code: RUN_ENDED.code }) : about(call.id, "call.outcome_unknown", data);
    }),
    ...open.steps.map(({ id, key }) => about(id, "step.cancelled", { step: key, step_id: id })),
  ];
}
