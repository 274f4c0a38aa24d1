/**
 * Which run a call belongs to. It never changes, so a projection may answer; calls that are not projected yet are found
 * in the journal.
 */
import type { Db } from "@/lib/database/client";
import { KimitsuError } from "@/lib/errors";
import { isId } from "@/lib/ids";
import { decodeTime } from "ulid";

/** Maximum time between a call's id and its commit, including the difference of two clocks. */
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
    SELECT run_id AS "runId" FROM journal WHERE at BETWEEN ${from} AND ${to} AND body LIKE ${`%"call_id":"${callId}"%`} LIMIT 1`;
  return told?.runId ?? null;
}
