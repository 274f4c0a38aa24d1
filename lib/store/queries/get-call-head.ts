import type { CallStatus } from "@/lib/domain/call-state";
import { KimitsuError } from "@/lib/errors";
import type { Db } from "@/lib/store/client";

export async function getCallHead(db: Db, callId: string): Promise<{ id: string; runId: string; status: CallStatus; server: string }> {
  const row = await db.call.findUnique({ where: { id: callId }, select: { id: true, runId: true, status: true, server: true } });
  if (!row) throw new KimitsuError("not_found", `There is no call ${callId}.`);
  return row;
}
