/**
 * Previews a reviewer's changes: judged as they will be when sent, and redacted as they will be stored. Nothing is
 * written.
 */
import { redact } from "@/lib/text/redaction";
import { judgeEdit } from "@/lib/approvals/judge-edit";
import type { Runtime } from "@/lib/runs/runtime";
import type { ApprovalInRun } from "@/lib/approvals/queries/get-approval";

/** The changed arguments as a person may see them; whatever would make the decision fail already fails here. */
export async function showEdit(
  deps: Runtime,
  approval: ApprovalInRun,
  args: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const { schema } = await judgeEdit(deps, approval, args);
  return redact(args, { fingerprint: deps.fingerprint, ...(schema ? { schema } : {}) }) as Record<string, unknown>;
}
