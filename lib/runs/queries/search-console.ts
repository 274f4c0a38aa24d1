import type { DangerLevel } from "@/lib/policy/danger";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import { showInvisible } from "@/lib/text/tool-text";
import type { Db } from "@/lib/database/client";
import { Prisma } from "@/lib/database/generated/client";
import { PLAN_ANEW } from "@/lib/database/plan-anew";
import { listAbouts } from "@/lib/runs/queries/list-abouts";
import { runsWhere } from "@/lib/runs/queries/run-filter";

const FOUND_MAX = 5;
/**
 * Calls are searched among this many of the newest that wait; nobody finds one of twenty thousand by a word of its
 * sentence.
 */
const PENDING_LOOKED_AT = 1000;

/** Words of which each must occur; lower case. */
export function toWords(text: string): string[] {
  return text.toLowerCase().split(/\s+/u).filter(Boolean);
}

export interface FoundCall {
  id: string;
  summary: string;
  tool: string;
  workflow: string;
  danger: DangerLevel;
  /** When it was requested. */
  at: Date;
}

export async function searchPending(db: Db, words: readonly string[]): Promise<FoundCall[]> {
  if (words.length === 0) return [];
  const fits = words.map((word) => Prisma.sql`strpos(text, ${word}) > 0`);
  const rows = await db.$queryRaw<FoundCall[]>`
    SELECT id, summary, tool, workflow, danger, created_at AS at FROM (
      SELECT id, summary, server || '.' || tool AS tool, workflow, danger::text AS danger, created_at,
        lower(concat_ws(' ', id, call_id, run_id, server || '.' || tool, summary, workflow, agent)) AS text
      FROM approvals WHERE status = 'pending' ORDER BY id DESC LIMIT ${PENDING_LOOKED_AT}
    ) AS newest WHERE ${Prisma.join(fits, " AND ")} ORDER BY id LIMIT ${FOUND_MAX}`;
  return rows.map((row) => ({ ...row, summary: showInvisible(row.summary || row.tool) }));
}

export interface FoundRun {
  id: string;
  workflow: string;
  status: RunStatus;
  startedBy: string;
  /** In one line; empty when it was started without params. */
  about: string;
}

/** Newest first. The id, or its beginning, is one of the words by which a run is found. */
export async function searchRuns(db: Db, text: string): Promise<FoundRun[]> {
  if (text.trim() === "") return [];
  const where = await runsWhere(db, { text }, { limit: FOUND_MAX });
  const runs = await db.$queryRaw<
    Omit<FoundRun, "about">[]
  >`${PLAN_ANEW}SELECT id, workflow, status::text AS status, started_by_name AS "startedBy" FROM runs WHERE ${where} ORDER BY id DESC LIMIT ${FOUND_MAX}`;
  const abouts = await listAbouts(db, runs);
  return runs.map((run) => ({ ...run, about: abouts.get(run.id) ?? "" }));
}

export function searchPeople(
  db: Db,
  text: string,
): Promise<{ id: string; name: string; email: string; role: string }[]> {
  if (text.trim() === "") return Promise.resolve([]);
  const contains = { contains: text.trim(), mode: "insensitive" as const };
  return db.user.findMany({
    where: { OR: [{ name: contains }, { email: contains }] },
    orderBy: { name: "asc" },
    take: FOUND_MAX,
    select: { id: true, name: true, email: true, role: true },
  });
}
