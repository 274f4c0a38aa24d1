/**
 * Writes the search rows for lists of runs and the inbox, from the rows of runs and approvals, which are never behind
 * their journals. The writer has the projector's lock.
 */
import type { Db, Statements } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import type { Searched } from "@/lib/runs/projections/projected-rows";

/** For a statement with the run `r`. */
export const RUN_WORDS = Prisma.raw(
  "run_words(r.id, r.retry_of_run_id, r.workflow, r.agents, r.started_by_name, r.params)",
);

/** For a statement with the approval `a`. */
export const APPROVAL_WORDS = Prisma.raw(
  "approval_words(a.summary, a.server, a.tool, a.agent, a.workflow, a.run_id, a.call_id, a.id)",
);

/** Existing rows are rewritten only if they differ, as after a rebuild. */
export async function writeSearch(db: Pick<Db, "$executeRaw">, { begun, asked }: Searched): Promise<void> {
  if (begun.length > 0) {
    await db.$executeRaw`INSERT INTO run_search (run_id, agents, words)
      SELECT r.id, r.agents, ${RUN_WORDS} FROM runs r WHERE r.id = ANY (${begun})
      ON CONFLICT (run_id) DO UPDATE SET agents = excluded.agents, words = excluded.words
      WHERE (run_search.agents, run_search.words) IS DISTINCT FROM (excluded.agents, excluded.words)`;
  }
  if (asked.length > 0) {
    await db.$executeRaw`WITH decided AS (
        DELETE FROM approval_search s USING approvals a
        WHERE s.approval_id = a.id AND a.id = ANY (${asked}) AND a.status <> 'pending'
      )
      INSERT INTO approval_search (approval_id, version, words)
      SELECT a.id, a.version, ${APPROVAL_WORDS} FROM approvals a WHERE a.id = ANY (${asked}) AND a.status = 'pending'
      ON CONFLICT (approval_id) DO UPDATE SET version = excluded.version, words = excluded.words`;
  }
}

/** Everything of a run, for one whose journal does not say what has changed. */
export async function allOfRun(db: Statements, runId: string): Promise<Searched> {
  const approvals = await db.$queryRaw<{ id: string }[]>`SELECT id FROM approvals WHERE run_id = ${runId}`;
  return { begun: [runId], asked: approvals.map(({ id }) => id) };
}
