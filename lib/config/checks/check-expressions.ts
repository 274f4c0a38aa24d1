/** JMESPath and `from` must be readable; a mistake in a condition would otherwise show only in a run. */
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import { parseFrom } from "@/lib/config/from-expression";
import { compile } from "@/lib/config/jmespath";
import { findSlip } from "@/lib/config/jmespath-slips";
import type { ValuePath } from "@/lib/config/problem";
import type { TransformStep } from "@/lib/config/step-schema";
import type { Workflow } from "@/lib/config/workflow-schema";
import type { YamlSource } from "@/lib/config/yaml-source";

export function checkExpressions(draft: Draft, { source, definition }: Loaded<Workflow>): void {
  const stepIds = definition.pipeline.map((step) => step.id);
  const check = (at: ValuePath, expression: string) => {
    if (expression.includes("{{")) return; // Reported with the templates.
    try {
      compile(expression, { stepIds });
    } catch (error) {
      return report(draft, source, at, `not a JMESPath expression: ${(error as Error).message}`);
    }
    checkSlip(draft, source, at, expression);
  };
  const checkFrom = (at: ValuePath, text: string) => {
    if (parseFrom(text) !== null) return;
    report(draft, source, at, `${JSON.stringify(text)} is not a path`, {
      hint: "write step.ID.FIELD, ID, ID.FIELD, or one template such as {{ params.NAME }}",
    });
  };
  for (const [index, step] of definition.pipeline.entries()) {
    const at = ["pipeline", index];
    if (step.condition !== undefined) check([...at, "condition"], step.condition);
    if ("for_each" in step && step.for_each) checkFrom([...at, "for_each", "from"], step.for_each.from);
    if ("transform" in step) {
      step.transform.inputs.forEach((input, position) =>
        checkFrom([...at, "transform", "inputs", position, "from"], input.from),
      );
      for (const { at: inside, expression } of listOperationExpressions(step)) check([...at, ...inside], expression);
    }
  }
  if (definition.output?.from !== undefined) checkFrom(["output", "from"], definition.output.from);
}

export function checkSlip(draft: Draft, source: YamlSource, at: ValuePath, expression: string | undefined): void {
  const slip = expression === undefined ? null : findSlip(expression);
  if (slip !== null) report(draft, source, at, slip);
}

function listOperationExpressions(step: TransformStep): { at: ValuePath; expression: string }[] {
  return step.transform.ops.flatMap((op, index) => {
    const at = ["transform", "ops", index];
    if ("filter" in op) return [{ at: [...at, "filter", "expr"], expression: op.filter.expr }];
    if ("map" in op) return [{ at: [...at, "map", "expr"], expression: op.map.expr }];
    if ("sort" in op) return [{ at: [...at, "sort", "field"], expression: op.sort.field }];
    const field = "deduplicate" in op ? op.deduplicate?.field : undefined;
    return field === undefined ? [] : [{ at: [...at, "deduplicate", "field"], expression: field }];
  });
}
