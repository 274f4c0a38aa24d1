/** A reviewer's changes before they are sent: judged as they will be then, and redacted as they will be kept. Nothing is written. */
import { redact } from "@/lib/domain/redaction";
import { judgeEdit } from "@/lib/engine/judge-edit";
import type { Runtime } from "@/lib/engine/runtime";
import type { ApprovalView } from "@/lib/store/queries/get-approval";

/** The changed arguments as a person may see them; what the decision would be refused for is refused here already. */
export async function showEdit(deps: Runtime, approval: ApprovalView, args: Record<string, unknown>): Promise<Record<string, unknown>> {
  const { schema } = await judgeEdit(deps, approval, args);
  return redact(args, { fingerprint: deps.fingerprint, ...(schema ? { schema } : {}) }) as Record<string, unknown>;
}
