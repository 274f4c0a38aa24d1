/** Which run a call belongs to. It never changes, so that a projection may say it; what came after that is read from the journal. */
import type { Db } from "@/lib/database/client";
import { KimitsuError } from "@/lib/errors";
import { isId } from "@/lib/ids";
import { decodeTime } from "ulid";

/** Between the moment in which a call got its id and its commit, and between two clocks, is at most so much. */
const AROUND_MS = 10 * 60_000;

export async function getRunOfCall(db: Db, callId: string): Promise<string> {
  const runId = isId("call", callId) ? await findRunOfCall(db, callId) : null;
  if (runId === null) throw noCall(callId);
  return runId;
}

export const noCall = (callId: string) => new KimitsuError("not_found", `There is no call ${callId}.`);

async function findRunOfCall(db: Db, callId: string): Promise<string | null> {
  const [known] = await db.$queryRaw<{ runId: string }[]>`
    SELECT run_id AS "runId" FROM calls WHERE id = ${callId}
    UNION ALL SELECT run_id FROM approvals WHERE call_id = ${callId} AND status = 'pending' LIMIT 1`;
  if (known) return known.runId;
  const at = decodeTime(callId.slice("call_".length).toUpperCase());
  const [from, to] = [new Date(at - AROUND_MS), new Date(at + AROUND_MS)];
  const [told] = await db.$queryRaw<{ runId: string }[]>`
    SELECT run_id AS "runId" FROM journal WHERE at BETWEEN ${from} AND ${to} AND data LIKE ${`%"id":"${callId}"%`} LIMIT 1`;
  return told?.runId ?? null;
}
