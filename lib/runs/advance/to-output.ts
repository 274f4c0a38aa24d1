/**
 * The output of a workflow when all its steps have ended. An output that cannot be built fails the run: retrying would
 * not help.
 */
import { parseFrom } from "@/lib/config/from-expression";
import { parseTemplates, renderTemplate, type TemplateScope } from "@/lib/config/template";
import type { Frame } from "@/lib/runs/advance/run-context";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

/** One step's output, a map of templates, or everything by step. A field of a step that was skipped is null. */
export function toOutput(frame: Frame, scope: TemplateScope, skipped: readonly string[]): StepOutcome {
  const { output } = frame.workflow.definition;
  const template = output?.from !== undefined ? fromTemplate(output.from) : output?.map;
  let value: unknown;
  try {
    value =
      template === undefined
        ? scope.step
        : renderTemplate(template, { ...scope, step: withBlanks(template, scope.step ?? {}, skipped) });
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "TemplateError") throw error;
    return {
      kind: "failed",
      error: { code: "template_failed", message: `The workflow's output cannot be put together: ${error.message}` },
    };
  }
  const fit = output?.schema ? checkAgainstSchema(output.schema as Record<string, unknown>, value) : null;
  if (fit && fit.kind !== "fits") {
    const message = fit.kind === "violation" ? fit.problems.join("; ") : fit.reason;
    return {
      kind: "failed",
      error: { code: "output_invalid", message: `The workflow's output does not fit its schema: ${message}` },
    };
  }
  return { kind: "complete", output: value };
}

function fromTemplate(from: string): string {
  const expression = parseFrom(from);
  return expression ? `{{ ${[expression.root, ...expression.path].join(".")} }}` : from;
}

/**
 * A skipped step has no fields; without this a workflow that reads one could never complete when its condition is
 * false.
 */
function withBlanks(
  template: unknown,
  outputs: Readonly<Record<string, unknown>>,
  skipped: readonly string[],
): Record<string, unknown> {
  const filled: Record<string, unknown> = { ...outputs };
  for (const { root, path } of parseTemplates(template).references) {
    const [id = "", ...fields] = path;
    if (root !== "step" || fields.length === 0 || !skipped.includes(id)) continue;
    let holder = (filled[id] = { ...(filled[id] as Record<string, unknown>) });
    for (const field of fields.slice(0, -1))
      holder = holder[field] = { ...(holder[field] as Record<string, unknown> | undefined) };
    holder[fields.at(-1) ?? ""] ??= null;
  }
  return filled;
}
