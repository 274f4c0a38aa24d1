/** "Not now": a reviewer's own queue lets a call sink, and the others read why. It decides nothing and gives nobody more time. */
import { z } from "zod";
import { refusalToDecide } from "@/lib/domain/eligibility";
import { ASIDE_MINUTES_MAX, NOTE_LENGTH_MAX } from "@/lib/domain/limits";
import { returnTime } from "@/lib/domain/set-aside";
import type { DecidedBy } from "@/lib/engine/decide-approval";
import type { EngineDeps } from "@/lib/engine/deps";
import { refuseKnownSecrets } from "@/lib/engine/known-secrets";
import { parseInput } from "@/lib/engine/parse-input";
import type { Runtime } from "@/lib/engine/runtime";
import { KimitsuError } from "@/lib/errors";
import { type ApprovalView, getApproval } from "@/lib/store/queries/get-approval";
import { setAsideRow, takeUpRow } from "@/lib/store/transitions/set-aside";

const wishSchema = z.strictObject({
  approvalId: z.string(),
  note: z.string().trim().max(NOTE_LENGTH_MAX).optional(),
  /** Null: until something about the call changes. */
  minutes: z.int().min(1).max(ASIDE_MINUTES_MAX).nullable(),
});

export async function setAside(deps: Runtime, by: DecidedBy, input: z.input<typeof wishSchema>): Promise<{ until: Date | null }> {
  const wish = parseInput(wishSchema, input);
  const approval = await getApproval(deps.db, wish.approvalId);
  const refusal = refusalToDecide(by, approval);
  if (refusal) throw new KimitsuError("forbidden", `Only who could decide can set a call aside. ${refusal} Nothing was changed.`);
  refuseKnownSecrets(deps.projects.current().project, deps.processEnv, { path: "note", what: "The note", value: wish.note });
  const now = deps.now();
  const until = returnTime(now, wish.minutes === null ? null : wish.minutes * 60_000, approval.expiresAt);
  const done = await setAsideRow(deps.db, { approvalId: approval.id, runId: approval.runId, userId: by.userId, note: wish.note || null, until }, by.actor, now);
  if (!done) throw new KimitsuError("conflict", describeEnd(approval));
  return { until };
}

export async function takeUp(deps: EngineDeps, by: DecidedBy, approvalId: string): Promise<void> {
  const approval = await getApproval(deps.db, parseInput(z.string(), approvalId));
  const done = await takeUpRow(deps.db, { approvalId: approval.id, runId: approval.runId, userId: by.userId }, by.actor, deps.now());
  if (!done) throw new KimitsuError("conflict", `You have not set approval ${approval.id} aside; nothing was changed.`);
}

const describeEnd = ({ id, status }: ApprovalView): string => `Approval ${id} is ${status === "pending" ? "over: its time has passed" : status}; nothing was changed.`;
