"use server";

import { revalidatePath } from "next/cache";
import { unstable_rethrow } from "next/navigation";
import { z } from "zod";
import type {
  ArgumentEdit,
  DecisionAnswer,
  DecisionRequest,
  EditAnswer,
  SetAsideRequest,
} from "@/components/approvals/decide/decision";
import { requirePermission, requireSession, type Session } from "@/lib/people/session/session";
import { deciderOf } from "@/app/api-caller";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { engineDeps } from "@/lib/database/deps";
import { extendApproval } from "@/lib/approvals/extend-approval";
import { parseInput } from "@/lib/text/parse-input";
import { runtime } from "@/lib/runs/runtime";
import { setAside, takeUp } from "@/lib/approvals/set-aside";
import { showEdit } from "@/lib/approvals/show-edit";
import { KimitsuError } from "@/lib/errors";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { getApproval } from "@/lib/approvals/queries/get-approval";
import { previewEdit } from "@/lib/approvals/view/preview-edit";
import { applyEdits } from "./apply-edits";
import { toDecisionProblem } from "./decision-problem";
import { readCard } from "./read-card";

const EXTEND_BY_MS = 30 * 60_000;

const editSchema = z.union([
  z.strictObject({ name: z.string(), value: z.json() }),
  z.strictObject({ name: z.string(), remove: z.literal(true) }),
]);
const requestSchema = z.strictObject({
  approvalId: z.string(),
  digest: z.string(),
  verdict: z.enum(["approved", "rejected"]),
  reason: z.string().trim().max(2000).optional(),
  comment: z.string().trim().max(2000).optional(),
  confirm: z.string().max(200).optional(),
  edits: z.array(editSchema).max(200).optional(),
});
const reviewSchema = z.strictObject({ approvalId: z.string(), edits: z.array(editSchema).max(200) });

/**
 * What a reviewer pressed on a card. Tool and arguments come from the row; the browser names only what it saw and what
 * should change.
 */
export async function decideCard(given: DecisionRequest): Promise<DecisionAnswer> {
  const session = await requireSession();
  try {
    const request = parseInput(requestSchema, given);
    const approval = await getApproval(engineDeps().db, request.approvalId);
    const { status } = await decideApproval(runtime(), deciderOf(session), {
      approvalId: approval.id,
      verdict: request.verdict,
      digest: request.digest,
      ...(request.confirm === undefined ? {} : { confirm: request.confirm }),
      ...(request.reason ? { reason: request.reason } : {}),
      ...(request.comment ? { comment: request.comment } : {}),
      ...(request.edits && request.edits.length > 0
        ? { arguments: applyEdits(approval.argumentsCanonical, request.edits) }
        : {}),
    });
    revalidatePath("/inbox", "layout");
    return { kind: "recorded", status: status as "approved" | "rejected" | "pending" };
  } catch (error) {
    unstable_rethrow(error);
    return explain(error, seenIn(given), session);
  }
}

/** What changed arguments would look like, from the row and with nothing hidden in them. */
export async function reviewCardEdit(approvalId: string, edits: ArgumentEdit[]): Promise<EditAnswer> {
  const session = await requirePermission("approvals:decide");
  try {
    const request = parseInput(reviewSchema, { approvalId, edits });
    const [approval, card] = await Promise.all([
      getApproval(engineDeps().db, request.approvalId),
      readCard(session, request.approvalId, engineDeps().now()),
    ]);
    if (card?.status !== "pending" || card.edit === null)
      return {
        kind: "not_shown",
        message: "The arguments of this call cannot be changed any more. Nothing was decided.",
      };
    return {
      kind: "shown",
      ...previewEdit(card, await showEdit(runtime(), approval, applyEdits(approval.argumentsCanonical, request.edits))),
    };
  } catch (error) {
    unstable_rethrow(error);
    if (error instanceof KimitsuError && error.code !== "internal")
      return { kind: "not_shown", message: error.message };
    throw error;
  }
}

const seenSchema = z.object({ approvalId: z.string(), digest: z.string() });

/** An action can be called by anyone with anything; input that names no call is treated as unseen. */
const seenIn = (given: unknown): z.output<typeof seenSchema> =>
  seenSchema.safeParse(given).data ?? { approvalId: "", digest: "" };

async function explain(error: unknown, seen: z.output<typeof seenSchema>, { user }: Session): Promise<DecisionAnswer> {
  if (error instanceof KimitsuError && error.code !== "internal") {
    const { db, now } = engineDeps();
    const approval = error.code === "conflict" ? await getApproval(db, seen.approvalId).catch(() => null) : null;
    return toDecisionProblem(error, approval, { userId: user.id, digest: seen.digest, at: now() });
  }
  const requestId = createId("request");
  log.error({ err: error, request_id: requestId }, "a decision failed");
  return { kind: "uncertain", message: `The server failed; its log has it under ${requestId}.` };
}

/** Half an hour more for everyone, from someone who could decide. */
export async function extendCard(approvalId: string): Promise<ActionResult> {
  const session = await requireSession();
  return toActionResult(async () => {
    await extendApproval(engineDeps(), deciderOf(session), {
      approvalId: parseInput(z.string(), approvalId),
      byMs: EXTEND_BY_MS,
    });
    return "30 minutes more";
  });
}

/** "Not now": the call sinks in this person's own queue, and the note is for everyone. */
export async function setCardAside(request: SetAsideRequest): Promise<ActionResult> {
  const session = await requireSession();
  return toActionResult(async () => {
    await setAside(runtime(), deciderOf(session), request);
    return request.note?.trim() ? "Set aside, with a note" : "Set aside";
  });
}

export async function takeCardUp(approvalId: string): Promise<ActionResult> {
  const session = await requirePermission("approvals:decide");
  return toActionResult(async () => {
    await takeUp(engineDeps(), deciderOf(session), approvalId);
    return "Back in your queue";
  });
}

interface ActionResult {
  ok: boolean;
  message: string;
}

/** The result of a small action on a card, as text. */
async function toActionResult(work: () => Promise<string>): Promise<ActionResult> {
  try {
    const message = await work();
    revalidatePath("/inbox", "layout");
    return { ok: true, message };
  } catch (error) {
    unstable_rethrow(error);
    if (error instanceof KimitsuError && error.code !== "internal") return { ok: false, message: error.message };
    const requestId = createId("request");
    log.error({ err: error, request_id: requestId }, "an act on a card failed");
    return { ok: false, message: `Something went wrong; the server's log has it under ${requestId}.` };
  }
}
