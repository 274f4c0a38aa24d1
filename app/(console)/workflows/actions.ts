"use server";

import { redirect } from "next/navigation";
import { readParams, toParamFields } from "@/components/workflows/param-fields";
import { findWorkflow } from "@/lib/config/list-definitions";
import type { FormState } from "@/components/ui/form-state";
import { actorOf, requirePermission } from "@/lib/people/session/session";
import { runtime } from "@/lib/runs/runtime";
import { startRun } from "@/lib/runs/start-run";
import { KimitsuError } from "@/lib/errors";
import { runAction, textField } from "../run-action";

export async function startWorkflow(_state: FormState, form: FormData): Promise<FormState> {
  const session = await requirePermission("runs:write");
  return runAction(form, async () => {
    const name = textField(form, "workflow") ?? "";
    const workflow = findWorkflow(runtime().projects.current().project, name);
    const { params, issues } = readParams(toParamFields(workflow?.definition.params?.schema), (control) =>
      textField(form, control),
    );
    if (issues.length > 0)
      throw new KimitsuError(
        "invalid_request",
        `Nothing was started: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}.`,
        { issues },
      );
    const { runId } = await startRun(runtime(), { workflow: name, params, actor: actorOf(session) }).catch(atItsField);
    redirect(`/history/${runId}`);
  });
}

/** The engine names what does not fit as `params.<name>…`; the form has it under the name alone. */
function atItsField(error: unknown): never {
  if (!(error instanceof KimitsuError) || error.code !== "invalid_request") throw error;
  const issues = error.issues.map(({ path, message }) => ({
    path: path.replace(/^params\.?/, "") || "params",
    message,
  }));
  throw new KimitsuError(error.code, error.message, { issues, cause: error });
}
