import type { DangerLevel } from "@/lib/domain/danger";
import type { Db } from "@/lib/store/client";
import { decidableBy, type InboxReader } from "@/lib/store/queries/inbox-reader";

/** Nobody works off a thousand by looking at the number; counting further only costs. */
export const COUNT_MAX = 1000;

export interface InboxCounts {
  /** At most COUNT_MAX each: "999+". */
  all: number;
  mine: number;
  critical: number;
  high: number;
  /** What the pending calls belong to, for the filters; of the newest thousand. */
  workflows: string[];
  agents: string[];
}

export async function countPending(db: Db): Promise<number> {
  return db.approval.count({ where: { status: "pending" }, take: COUNT_MAX });
}

export async function getInboxCounts(db: Db, reader: InboxReader): Promise<InboxCounts> {
  const own = decidableBy(reader);
  const countOf = (danger: DangerLevel) => db.approval.count({ where: { status: "pending", danger }, take: COUNT_MAX });
  const [all, mine, critical, high, names] = await Promise.all([
    countPending(db),
    own ? db.approval.count({ where: { status: "pending", ...own }, take: COUNT_MAX }) : 0,
    countOf("critical"),
    countOf("high"),
    db.$queryRaw<{ workflow: string; agent: string }[]>`
      SELECT DISTINCT workflow, agent FROM (SELECT workflow, agent FROM approvals WHERE status = 'pending' ORDER BY id DESC LIMIT ${COUNT_MAX}) AS newest`,
  ]);
  const distinct = (values: string[]) => [...new Set(values)].sort();
  return { all, mine, critical, high, workflows: distinct(names.map((row) => row.workflow)), agents: distinct(names.map((row) => row.agent)) };
}
