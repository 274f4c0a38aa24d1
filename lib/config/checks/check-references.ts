/** Every `params.X`, `env.X` and `step.ID.FIELD` of a workflow names something that exists. */
import { isUnknown, report, type Draft, type Loaded } from "@/lib/config/draft";
import type { Links } from "@/lib/config/links";
import { isOpen, outputSchemaOf, propertiesOf, schemaAt } from "@/lib/config/param-schemas";
import { suggest, type ValuePath } from "@/lib/config/problem";
import { listFrom, listStepReferences, listTemplates, type StepReference } from "@/lib/config/step-references";
import type { Workflow } from "@/lib/config/workflow-schema";
import { checkDeclaredEnv } from "./check-env";

export function checkReferences(draft: Draft, workflow: Loaded<Workflow>, links: Links): void {
  const { pipeline, output } = workflow.definition;
  const ids = pipeline.map((step) => step.id);
  for (const [index, step] of pipeline.entries()) {
    for (const reference of listStepReferences(step, ids)) {
      checkReference(draft, workflow, links, reference, { at: ["pipeline", index], stepId: step.id });
    }
  }
  const mapped = output?.map === undefined ? [] : listTemplates(output.map, ["map"], "output");
  const from = output?.from === undefined ? [] : listFrom(output.from, ["from"], "output");
  for (const reference of [...mapped, ...from])
    checkReference(draft, workflow, links, reference, { at: ["output"], stepId: null });
}

interface Place {
  at: ValuePath;
  stepId: string | null;
}

function checkReference(
  draft: Draft,
  workflow: Loaded<Workflow>,
  links: Links,
  reference: StepReference,
  place: Place,
): void {
  const at = [...place.at, ...reference.at];
  const [name = "", ...rest] = reference.path;
  if (reference.root === "env") {
    if (reference.place === "condition") return reportRoot(draft, workflow, at, "env");
    if (workflow.definition.visibility === "root")
      checkDeclaredEnv(draft, workflow.source, at, name, workflow.definition.env);
  } else if (reference.root === "params") checkParam(draft, workflow, at, name, rest);
  else if (reference.root === "step") checkStep(draft, workflow, links, at, reference, place.stepId);
  // A step's name with hyphens reads as a subtraction where the name is not known.
  else if (reference.place === "condition" && !isUnknown(draft, workflow.file, "pipeline", "*", "id"))
    reportRoot(draft, workflow, at, reference.root);
}

function reportRoot(draft: Draft, { source, definition }: Loaded<Workflow>, at: ValuePath, root: string): void {
  if (root === "item" || root === "item_index") {
    return report(draft, source, at, `\`${root}\` cannot be used in a condition`, {
      hint: "a condition decides about the whole step; filter the list in a transform before it",
    });
  }
  // A bare `null` names a field that is not there, so it is null; a bare `true` is null as well, which no one means.
  if (root === "null") return;
  if (root === "true" || root === "false")
    return report(draft, source, at, `a bare \`${root}\` is a field's name in JMESPath`, {
      hint: `write it in backticks: \`${root}\``,
    });
  const isStep = definition.pipeline.some((step) => step.id === root);
  const hint = isStep ? `write step.${root}` : suggest(root, ["step", "params"], "known");
  report(draft, source, at, `a condition reads \`step\` and \`params\`, not \`${root}\``, { hint });
}

function checkParam(
  draft: Draft,
  { source, definition }: Loaded<Workflow>,
  at: ValuePath,
  name: string,
  rest: readonly string[],
): void {
  const schema = definition.params?.schema;
  const properties = propertiesOf(schema);
  if (!Object.hasOwn(properties, name)) {
    if (schema !== undefined && isOpen(schema)) return;
    report(draft, source, at, `the workflow declares no param ${JSON.stringify(name)}`, {
      hint: suggest(name, Object.keys(properties), "declared") ?? "add it to params.schema.properties",
    });
    return;
  }
  checkFields(draft, { source, definition, file: source.file }, at, `params.${name}`, properties[name] ?? null, rest);
}

function checkFields(
  draft: Draft,
  { source }: Loaded<Workflow>,
  at: ValuePath,
  base: string,
  schema: Record<string, unknown> | null,
  fields: readonly string[],
): void {
  for (let length = 0; length < fields.length; length += 1) {
    const parent = schemaAt(schema, fields.slice(0, length));
    const name = fields[length] ?? "";
    const known = Object.keys(propertiesOf(parent ?? undefined));
    if (parent === null || known.length === 0 || known.includes(name) || isOpen(parent)) continue;
    const path = [base, ...fields.slice(0, length)].join(".");
    report(draft, source, at, `${path} has no field ${JSON.stringify(name)} in its schema`, {
      severity: "warning",
      hint: suggest(name, known, "fields"),
    });
    return;
  }
}

function checkStep(
  draft: Draft,
  workflow: Loaded<Workflow>,
  links: Links,
  at: ValuePath,
  reference: StepReference,
  stepId: string | null,
): void {
  const { source, definition } = workflow;
  const [id = "", ...fields] = reference.path;
  const index = definition.pipeline.findIndex((step) => step.id === id);
  const step = definition.pipeline[index];
  if (step === undefined && isUnknown(draft, source.file, "pipeline", "*", "id")) return;
  if (step === undefined) {
    const ids = definition.pipeline.map((candidate) => candidate.id).filter((candidate) => candidate !== stepId);
    report(draft, source, at, `no step ${JSON.stringify(id)}`, { hint: suggest(id, ids, "steps") });
    return;
  }
  if (id === stepId) {
    report(draft, source, at, `step ${JSON.stringify(id)} refers to itself`, {
      hint: "its output exists only after it has run",
    });
    return;
  }
  if (fields.length === 0 || fields[0] === "skipped" || fields[0] === "reason") return;
  if (fields[0]?.startsWith("ktsu_")) {
    report(draft, source, at, `${fields[0]} is read by Kimitsu and then removed from the output`, {
      severity: "warning",
      hint: "use another field",
    });
    return;
  }
  checkFields(
    draft,
    workflow,
    at,
    `step.${id}`,
    outputSchemaOf(step, links.steps.get(workflow.file)?.[index] ?? null),
    fields,
  );
}
