import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";

/**
 * What a run can need from a person outside the inbox: to review an answer, or to settle a call with unknown outcome.
 */
export type Need = "review" | "settle";

export interface NeedCounts {
  /** Runs, at most NEEDS_MAX each: "999+". */
  review: number;
  settle: number;
  either: number;
}

/** A higher count helps nobody; also the number of newest unknown outcomes that are considered. */
const NEEDS_MAX = 1000;

export async function countNeeds(db: Db): Promise<NeedCounts> {
  const [row] = await db.$queryRaw<NeedCounts[]>`
    WITH review AS MATERIALIZED (${runsToReview()}), settle AS MATERIALIZED (${runsToSettle()})
    SELECT (SELECT count(*)::int FROM review) AS review, (SELECT count(*)::int FROM settle) AS settle,
      (SELECT count(*)::int FROM (SELECT id FROM review UNION SELECT id FROM settle LIMIT ${NEEDS_MAX}) AS all_of_them) AS either`;
  if (!row) throw new Error("unreachable: a statement of figures without a row");
  return row;
}

/** The ids of runs that need one of these, for an ANY (ARRAY(…)); only those before a run, if a page ended with it. */
export function runsThatNeed(needs: readonly Need[], before?: string): Prisma.Sql {
  const parts = [
    ...(needs.includes("review") ? [runsToReview(before)] : []),
    ...(needs.includes("settle") ? [runsToSettle()] : []),
  ];
  return Prisma.join(
    parts.map((part) => Prisma.sql`(${part})`),
    " UNION ",
  );
}

/**
 * A run that waits only for people has this status, by which it is found; its steps say whether an answer is among what
 * it waits for.
 */
const runsToReview = (before?: string): Prisma.Sql => Prisma.sql`
  SELECT r.id FROM runs r WHERE r.status = 'needs_human_review' ${before === undefined ? Prisma.empty : Prisma.sql`AND r.id < ${before}`}
    AND (SELECT true FROM steps s WHERE s.run_id = r.id AND s.status = 'needs_human_review' LIMIT 1) ORDER BY r.id DESC LIMIT ${NEEDS_MAX}`;

/**
 * Includes ended runs. A call is not indexed by its status, which changes with each transition: calls that were ever
 * unknown are found by their events, which are few.
 */
const runsToSettle = (): Prisma.Sql => Prisma.sql`
  SELECT DISTINCT newest.run_id AS id FROM (
    SELECT chain_id AS run_id, data ->> 'call_id' AS call_id FROM events WHERE type = 'call.outcome_unknown' ORDER BY id DESC LIMIT ${NEEDS_MAX}
  ) AS newest WHERE (SELECT c.status = 'outcome_unknown' FROM calls c WHERE c.id = newest.call_id)`;
