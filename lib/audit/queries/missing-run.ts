import { KimitsuError } from "@/lib/errors";
import type { Statements } from "@/lib/database/client";

/** The error for a run without a row: says that retention removed it, if the trail still has it. */
export async function missingRun(db: Statements, runId: string): Promise<KimitsuError> {
  const [last] = await db.$queryRaw<
    { at: Date }[]
  >`SELECT at FROM journal WHERE run_id = ${runId} ORDER BY seq DESC LIMIT 1`;
  if (!last) return new KimitsuError("not_found", `There is no run ${runId}.`);
  const day = last.at.toISOString().slice(0, 10);
  const message = `Run ${runId} ended on ${day} and was removed after the time that \`retention\` in policy.yaml gives to runs. Its events are on the audit trail.`;
  return new KimitsuError("not_found", message);
}
