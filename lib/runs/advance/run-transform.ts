/** A transform step: plain data in, plain data out, no side effects. */
import { parseFrom } from "@/lib/config/from-expression";
import type { TransformStep } from "@/lib/config/step-schema";
import { renderTemplate, type TemplateScope } from "@/lib/config/template";
import { applyTransform } from "@/lib/runs/rules/transform";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";

export function runTransform(step: TransformStep, scope: TemplateScope): StepOutcome {
  const outputs = scope.step ?? {};
  const { inputs, ops } = step.transform;
  try {
    // Merging concatenates lists, so what `merge` adds must not be there from the start.
    const merged = new Set(ops.flatMap((op) => ("merge" in op ? op.merge : [])));
    const from =
      inputs.length > 0
        ? inputs.map((input) => readFrom(input.from, scope))
        : step.depends_on.filter((id) => !merged.has(id)).map((id) => outputs[id]);
    return { kind: "complete", output: { result: applyTransform(from, ops, outputs) } };
  } catch (error) {
    return { kind: "failed", error: { code: "transform_failed", message: (error as Error).message } };
  }
}

/** The value that a `from` names; a transform's output is under `result`. */
export function readFrom(from: string, scope: TemplateScope): unknown {
  const expression = parseFrom(from);
  if (!expression) throw new Error(`${JSON.stringify(from)} names nothing that can be read`);
  const path = [expression.root, ...expression.path].join(".");
  return renderTemplate(`{{ ${path} }}`, scope);
}
