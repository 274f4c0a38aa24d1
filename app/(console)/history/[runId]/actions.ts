"use server";

import { revalidatePath } from "next/cache";
import { redirect } from "next/navigation";
import { z } from "zod";
import type { FormState } from "@/components/ui/form-state";
import { actorOf, requirePermission } from "@/lib/people/session/session";
import { cancelRun } from "@/lib/runs/cancel-run";
import { parseInput } from "@/lib/text/parse-input";
import { retryRun } from "@/lib/runs/retry-run";
import { reviewStep } from "@/lib/runs/review-step";
import { runtime } from "@/lib/runs/runtime";
import { settleCall } from "@/lib/runs/settle-call";
import { runAction, textField } from "../../run-action";

const pageOf = (runId: string): string => `/history/${runId}`;
const SECRET_FIELD = "password-";

export async function cancel(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("runs:write");
  return runAction(form, async () => {
    const runId = textField(form, "runId") ?? "";
    await cancelRun(runtime(), actorOf(session), { runId, reason: textField(form, "reason") });
    revalidatePath(pageOf(runId), "layout");
    return { message: "Run cancelled; what waited was withdrawn" };
  });
}

/** The form names the secrets `password-…`, so that a refused form does not send them back. */
export async function retry(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("runs:write");
  return runAction(form, async () => {
    const given = [...form.keys()]
      .filter((name) => name.startsWith(SECRET_FIELD))
      .map((name) => [name.slice(SECRET_FIELD.length), textField(form, name) ?? ""]);
    const { runId } = await retryRun(runtime(), actorOf(session), {
      runId: textField(form, "runId") ?? "",
      secrets: Object.fromEntries(given),
    });
    redirect(pageOf(runId));
  });
}

const settlementSchema = z.object({
  callId: z.string(),
  outcome: z.enum(["happened", "did_not_happen", "failed"], "choose what became of the call"),
  result: z.string().optional(),
  comment: z.string().optional(),
});

const SETTLED = {
  happened: "Settled: it happened",
  did_not_happen: "Settled: it is sent now",
  failed: "Settled as failed",
} as const;

export async function settle(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("runs:write");
  return runAction(form, async () => {
    const command = parseInput(settlementSchema, {
      callId: textField(form, "callId"),
      outcome: textField(form, "outcome"),
      result: textField(form, "result"),
      comment: textField(form, "comment"),
    });
    await settleCall(runtime(), actorOf(session), {
      ...command,
      result: command.result === undefined ? undefined : parsedOrText(command.result),
    });
    revalidatePath(pageOf(textField(form, "runId") ?? ""), "layout");
    return { message: SETTLED[command.outcome] };
  });
}

export async function review(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("approvals:decide");
  return runAction(form, async () => {
    const runId = textField(form, "runId") ?? "";
    const accepted = textField(form, "accepted") === "yes";
    await reviewStep(runtime(), actorOf(session), {
      runId,
      accepted,
      stepId: textField(form, "stepId"),
      digest: textField(form, "digest"),
      comment: textField(form, "comment"),
    });
    revalidatePath(pageOf(runId), "layout");
    return { message: accepted ? "Answer accepted; the run goes on" : "Answer not accepted; the run ends" };
  });
}

/** A person may paste what the tool answered; JSON is stored as JSON. */
function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
