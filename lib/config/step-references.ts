/**
 * Everything that a step reads, in any of its fields. Order, template checks and the secret chain all start from this
 * list.
 */
import { parseFrom } from "./from-expression";
import { compile } from "./jmespath";
import type { ValuePath } from "./problem";
import type { Step } from "./step-schema";
import { parseTemplates, type TemplateRoot } from "./template";

export type ReferencePlace =
  | "agent_param"
  | "server_param"
  | "input"
  | "webhook"
  | "condition"
  | "fan_out"
  | "transform"
  | "depends_on"
  | "output";

export interface StepReference {
  root: TemplateRoot;
  path: readonly string[];
  /** Its path in the step, such as ["webhook", "body", "text"]. */
  at: ValuePath;
  place: ReferencePlace;
  /** True when the value is this reference and nothing else, so that it keeps its type. */
  whole: boolean;
}

export function listStepReferences(step: Step, stepIds: readonly string[]): StepReference[] {
  return [
    ...step.depends_on.map((id, index): StepReference => ({
      root: "step",
      path: [id],
      at: ["depends_on", index],
      place: "depends_on",
      whole: true,
    })),
    ...listConditionReferences(step.condition, stepIds),
    ...listKindReferences(step),
    ...("for_each" in step && step.for_each ? listFrom(step.for_each.from, ["for_each", "from"], "fan_out") : []),
  ];
}

function listKindReferences(step: Step): StepReference[] {
  if ("agent" in step) {
    const { server, ...params } = step.params;
    return [
      ...listTemplates(params, ["params"], "agent_param"),
      ...listTemplates(server ?? {}, ["params", "server"], "server_param"),
    ];
  }
  if ("workflow" in step) {
    return step.input === undefined
      ? listTemplates(step.params ?? {}, ["params"], "input")
      : listTemplates(step.input, ["input"], "input");
  }
  if ("webhook" in step) {
    const { url, headers, body, secret } = step.webhook;
    return listTemplates(
      { url, headers, body: body ?? null, ...(secret !== undefined && { secret }) },
      ["webhook"],
      "webhook",
    );
  }
  const merged = step.transform.ops.flatMap((op, index) =>
    "merge" in op
      ? op.merge.flatMap((from, position) =>
          listFrom(from, ["transform", "ops", index, "merge", position], "transform"),
        )
      : [],
  );
  return [
    ...step.transform.inputs.flatMap((input, index) =>
      listFrom(input.from, ["transform", "inputs", index, "from"], "transform"),
    ),
    ...merged,
  ];
}

function listConditionReferences(condition: string | undefined, stepIds: readonly string[]): StepReference[] {
  if (condition === undefined) return [];
  try {
    const { paths } = compile(condition, { stepIds });
    return paths.map(([root = "", ...path]) => ({
      root: root as TemplateRoot,
      path,
      at: ["condition"],
      place: "condition",
      whole: false,
    }));
  } catch {
    return []; // The mistake itself is reported by the check of expressions.
  }
}

export function listFrom(text: string, at: ValuePath, place: ReferencePlace): StepReference[] {
  const parsed = parseFrom(text);
  return parsed === null ? [] : [{ ...parsed, at, place, whole: true }];
}

export function listTemplates(value: unknown, base: ValuePath, place: ReferencePlace): StepReference[] {
  return parseTemplates(value).references.map(({ root, path, at, whole }) => ({
    root,
    path,
    at: [...base, ...at],
    place,
    whole,
  }));
}
