/** Hourly task of a worker: removes what is past its retention time. */
import { archiveFolder } from "@/lib/audit/retention/archive-file";
import { detachMonth } from "@/lib/audit/retention/detach-month";
import { listMonthsBefore } from "@/lib/audit/retention/partitions";
import { removeRuns } from "@/lib/audit/retention/remove-runs";
import type { Policy } from "@/lib/config/policy-schema";
import type { EngineDeps } from "@/lib/database/deps";
import { log } from "@/lib/log";

export const RETENTION_INTERVAL_MS = 60 * 60_000;

export interface RetentionDeps extends EngineDeps {
  /** From the project that is in force now; nothing is removed without it. */
  retention: () => Policy["retention"];
  /** Where files of detached months go; by default a folder in the data folder. */
  folder?: string;
  /** No further batch starts after it is aborted. */
  signal?: AbortSignal;
}

export async function applyRetention({
  db,
  now,
  retention,
  folder = archiveFolder(),
  signal,
}: RetentionDeps): Promise<void> {
  const { runs, audit } = retention() ?? {};
  const beforeOf = (ageMs: number) => new Date(now().getTime() - ageMs);
  if (runs !== undefined) {
    const before = beforeOf(runs);
    for (let isAll = false; !isAll && !signal?.aborted;) ({ isAll } = await removeRuns(db, before, now()));
  }
  if (audit === undefined) return;
  for (const month of await listMonthsBefore(db, beforeOf(audit))) {
    if (signal?.aborted) return;
    const outcome = await detachMonth(db, month, { folder, at: now() });
    if (outcome.kind === "busy") return;
    if (outcome.kind === "kept")
      log.info(
        { month: month.name, run: outcome.runId },
        "a month of the journal is kept because one of its runs is kept",
      );
    else
      log.info(
        { month: month.name, file: outcome.month.file, rows: outcome.month.rows },
        "a month of the journal was detached",
      );
  }
}
