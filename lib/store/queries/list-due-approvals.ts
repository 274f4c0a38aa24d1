import type { Db } from "@/lib/store/client";

export interface DueApproval {
  id: string;
  runId: string;
  callId: string;
  escalateTo: string[];
}

export function listExpired(db: Db, now: Date, limit: number): Promise<DueApproval[]> {
  return db.approval.findMany({ where: { status: "pending", expiresAt: { lte: now } }, orderBy: { expiresAt: "asc" }, take: limit, select: { id: true, runId: true, callId: true, escalateTo: true } });
}

export function listEscalating(db: Db, now: Date, limit: number): Promise<DueApproval[]> {
  return db.approval.findMany({
    where: { status: "pending", escalatedAt: null, escalateAt: { lte: now } },
    orderBy: { escalateAt: "asc" },
    take: limit,
    select: { id: true, runId: true, callId: true, escalateTo: true },
  });
}
