import type { Db } from "@/lib/store/client";
import { Prisma } from "@/lib/store/generated/client";

export interface UnprovenRow {
  id: string;
  runId: string;
  at: Date;
}

/** After so many the rest is of no interest. */
const ROWS_MAX = 10_000;

const told = (name: string): Prisma.Sql => Prisma.sql`e.body::jsonb #>> ${`{data,${name}}`}::text[]`;
/** A run without any event is not looked at: that its chain is gone is found by the anchors. */
const hasChain = (runId: Prisma.Sql): Prisma.Sql => Prisma.sql`EXISTS (SELECT 1 FROM events e WHERE e.chain_id = ${runId})`;

/** Decisions of which no event tells: who, what and on which arguments. */
export async function findUntoldDecisions(db: Db): Promise<UnprovenRow[]> {
  return db.$queryRaw<UnprovenRow[]>`
    SELECT d.id, a.run_id AS "runId", d.created_at AS at FROM decisions d JOIN approvals a ON a.id = d.approval_id
    WHERE ${hasChain(Prisma.sql`a.run_id`)} AND NOT EXISTS (
      SELECT 1 FROM events e WHERE e.type = 'approval.decided' AND e.chain_id = a.run_id AND ${told("approval_id")} = d.approval_id
        AND ${told("user_id")} = d.user_id AND ${told("verdict")} = d.verdict::text AND ${told("digest")} = d.digest)
    ORDER BY d.id LIMIT ${ROWS_MAX}`;
}

/** Calls that were sent, as their rows have it, with arguments of which no event tells. */
export async function findUntoldCalls(db: Db): Promise<UnprovenRow[]> {
  return db.$queryRaw<UnprovenRow[]>`
    SELECT c.id, c.run_id AS "runId", c.executing_at AS at FROM calls c
    WHERE c.attempt > 0 AND c.executing_at IS NOT NULL AND ${hasChain(Prisma.sql`c.run_id`)} AND NOT EXISTS (
      SELECT 1 FROM events e WHERE e.type = 'call.executing' AND e.chain_id = c.run_id AND ${told("call_id")} = c.id AND ${told("digest")} = c.digest)
    ORDER BY c.id LIMIT ${ROWS_MAX}`;
}

/** Calls that people were asked about and that were sent with arguments to which, by the events before, nobody had said yes. */
export async function findUngrantedCalls(db: Db): Promise<UnprovenRow[]> {
  return db.$queryRaw<UnprovenRow[]>`
    WITH e AS (SELECT chain_id, seq, at, type, ${told("call_id")} AS call_id, ${told("digest")} AS digest, ${told("verdict")} AS verdict
      FROM events e WHERE type IN ('approval.requested', 'approval.decided', 'call.executing'))
    SELECT sent.call_id AS id, sent.chain_id AS "runId", min(sent.at) AS at FROM e AS sent
    WHERE sent.type = 'call.executing'
      AND EXISTS (SELECT 1 FROM e AS asked WHERE asked.type = 'approval.requested' AND asked.chain_id = sent.chain_id AND asked.call_id = sent.call_id AND asked.seq < sent.seq)
      AND NOT EXISTS (SELECT 1 FROM e AS said WHERE said.type = 'approval.decided' AND said.chain_id = sent.chain_id AND said.call_id = sent.call_id
        AND said.seq < sent.seq AND said.verdict = 'approved' AND said.digest = sent.digest)
    GROUP BY sent.call_id, sent.chain_id ORDER BY sent.call_id LIMIT ${ROWS_MAX}`;
}
