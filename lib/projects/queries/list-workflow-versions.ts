import type { Db } from "@/lib/database/client";

export interface WorkflowVersion {
  version: string;
  configHash: string;
  runs: number;
  firstAt: Date;
  lastAt: Date;
}

/** Reads only this many of the newest runs, so that it is as fast with a million as with a few. */
export const VERSIONED_RUNS_MAX = 200;

/** The file and project versions with which the last runs of a workflow began; the newest first. */
export async function listWorkflowVersions(db: Db, workflow: string): Promise<WorkflowVersion[]> {
  return db.$queryRaw<WorkflowVersion[]>`
    SELECT version, config_hash AS "configHash", count(*)::int AS runs, min(created_at) AS "firstAt", max(created_at) AS "lastAt"
    FROM (SELECT id, version, config_hash, created_at FROM runs WHERE workflow = ${workflow} ORDER BY id DESC LIMIT ${VERSIONED_RUNS_MAX}) AS newest
    GROUP BY version, config_hash ORDER BY max(id) DESC`;
}
