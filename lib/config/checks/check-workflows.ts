import { isUnknown, report, type Draft, type Loaded } from "@/lib/config/draft";
import type { Links } from "@/lib/config/links";
import { listCycles, listDependencies } from "@/lib/config/pipeline-order";
import type { ValuePath } from "@/lib/config/problem";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import { parseTemplates } from "@/lib/config/template";
import type { Workflow } from "@/lib/config/workflow-schema";
import { valueAt } from "@/lib/config/zod-problems";
import { checkAddress } from "./check-address";
import { checkDeclaredEnv, checkEnvBlock } from "./check-env";
import { checkExpressions } from "./check-expressions";
import { checkModelGroup } from "./check-gateway";
import { checkReferences } from "./check-references";
import { checkLegacyReferences, checkTemplates, type PlaceRule } from "./check-templates";
import { checkUnique } from "./check-unique";

/** Fields that only the workflow of a run can have, and what a sub-workflow does instead. */
const ROOT_FIELDS = [
  ["env", "declare a param and let the parent workflow pass the value"],
  ["invoke", "remove it, or set `visibility: root`"],
  ["model_policy", "it holds for a whole run: move it to the root workflow, or set `model` on the steps here"],
] as const;

const RESERVED_STEP_IDS = ["step", "params", "env", "item", "item_index"];

export function checkWorkflows(draft: Draft, links: Links): void {
  // What a profile stands for has no file of its own to be wrong in (check-profiles.ts).
  const own = draft.workflows.filter(({ definition }) => !isClientWorkflow(definition.name));
  checkUnique(
    draft,
    "workflow",
    own.map(({ definition, source }) => ({ name: definition.name, source, at: ["name"] })),
  );
  for (const workflow of own) {
    checkVisibility(draft, workflow);
    checkEnvBlock(draft, workflow.source, workflow.definition.env);
    checkModels(draft, workflow);
    checkPlaces(draft, workflow);
    checkExpressions(draft, workflow);
    // With two steps of one name, what a reference means is not known.
    if (checkStepIds(draft, workflow)) {
      checkReferences(draft, workflow, links);
      checkOrder(draft, workflow);
    }
    checkWebhooks(draft, workflow);
    checkOutput(draft, workflow);
  }
  checkNesting(draft, links);
}

function checkVisibility(draft: Draft, { source, definition }: Loaded<Workflow>): void {
  if (definition.visibility === "sub-workflow") {
    for (const [field, hint] of ROOT_FIELDS) {
      const isGiven = field === "env" ? definition.env.length > 0 : definition[field] !== undefined;
      if (isGiven)
        report(draft, source, [field], `\`${field}\` belongs to root workflows; this one is a sub-workflow`, {
          hint,
          part: "key",
        });
    }
  }
  if (definition.invoke === undefined) return;
  const at = ["invoke", "auth", "secret"];
  const { references } = parseTemplates(definition.invoke.auth.secret, ["env"]);
  for (const { path } of references) checkDeclaredEnv(draft, source, at, path[0] ?? "", definition.env);
}

function checkModels(draft: Draft, { source, definition }: Loaded<Workflow>): void {
  const policy = definition.model_policy;
  if (policy?.force_group !== undefined)
    checkModelGroup(draft, source, ["model_policy", "force_group"], policy.force_group);
  for (const [from, to] of Object.entries(policy?.group_map ?? {})) {
    checkModelGroup(draft, source, ["model_policy", "group_map", from], to);
  }
  for (const [index, step] of definition.pipeline.entries()) {
    if ("agent" in step && step.model?.group !== undefined)
      checkModelGroup(draft, source, ["pipeline", index, "model", "group"], step.model.group);
  }
}

function checkPlaces(draft: Draft, workflow: Loaded<Workflow>): void {
  const isRoot = workflow.definition.visibility === "root";
  const roots = isRoot ? (["params", "env", "step"] as const) : (["params", "step"] as const);
  const hint = isRoot ? undefined : "a sub-workflow has no `env`; pass the value as a param from the parent workflow";
  checkLegacyReferences(draft, workflow, (name, path) => {
    const isEnv = path[0] === "invoke" || isRoot;
    return isEnv
      ? `write "{{ env.${name} }}" and declare ${name} under \`env\``
      : `write "{{ params.${name.toLowerCase()} }}"`;
  });
  const allowed = (isFanOut: boolean): PlaceRule => {
    const all = isFanOut ? [...roots, "item" as const, "item_index" as const] : roots;
    return hint === undefined ? all : { roots: all, hint };
  };
  checkTemplates(draft, workflow, (path) => {
    const [field, index, inner, ...rest] = path;
    if (field === "invoke") return ["env"];
    if (field === "output" && index === "map") return allowed(false);
    if (field === "output" && index === "from") return ["step"];
    if (field !== "pipeline")
      return field === "params" || field === "output"
        ? "skip"
        : { roots: [], hint: "templates are filled in only in steps and in `output.map`" };
    const step = workflow.definition.pipeline[Number(index)];
    const isFanOut =
      step !== undefined &&
      (("for_each" in step && step.for_each !== undefined) ||
        isUnknown(draft, workflow.file, "pipeline", Number(index), "for_each"));
    if ((inner === "params" || inner === "input") && !isFanOut && usesItem(workflow, path)) {
      return { roots, hint: "`item` exists only in a step with `for_each`" };
    }
    if (inner === "params" || inner === "input") return allowed(isFanOut);
    if (inner === "webhook") return rest[0] === "method" || rest[0] === "timeout_s" ? [] : allowed(false);
    if ((inner === "for_each" && rest[0] === "from") || rest.at(-1) === "from") return allowed(false);
    if (inner === "condition" || inner === "transform")
      return { roots: [], hint: "expressions are bare JMESPath: write step.ID.FIELD without braces" };
    return inner === "output"
      ? "skip"
      : { roots: [], hint: "templates are filled in only in `params`, `input`, `webhook` and `from`" };
  });
}

function usesItem({ source }: Loaded<Workflow>, path: ValuePath): boolean {
  const value = valueAt(source.value, path);
  return typeof value === "string" && /\{\{\s*item(_index)?\b/.test(value);
}

function checkStepIds(draft: Draft, { source, definition }: Loaded<Workflow>): boolean {
  checkUnique(
    draft,
    "step",
    definition.pipeline.map(({ id }, index) => ({ name: id, source, at: ["pipeline", index, "id"] })),
  );
  for (const [index, { id }] of definition.pipeline.entries()) {
    if (RESERVED_STEP_IDS.includes(id))
      report(draft, source, ["pipeline", index, "id"], `a step cannot be named ${JSON.stringify(id)}`, {
        hint: "the word has a meaning of its own in templates",
      });
  }
  return new Set(definition.pipeline.map((step) => step.id)).size === definition.pipeline.length;
}

function checkOrder(draft: Draft, { source, definition }: Loaded<Workflow>): void {
  for (const cycle of listCycles(listDependencies(definition.pipeline))) {
    const index = definition.pipeline.findIndex((step) => step.id === cycle[0]);
    report(draft, source, ["pipeline", index], `steps wait for each other in a circle: ${cycle.join(" → ")}`, {
      hint: 'an arrow means "needs the output of"; remove one of these references',
    });
  }
}

function checkWebhooks(draft: Draft, { source, definition }: Loaded<Workflow>): void {
  for (const [index, step] of definition.pipeline.entries()) {
    if (!("webhook" in step)) continue;
    const at = ["pipeline", index, "webhook"];
    checkAddress(
      draft,
      source,
      [...at, "url"],
      step.webhook.url,
      "send it in `headers`, from a variable marked `secret: true`",
    );
    for (const [name, value] of Object.entries(step.webhook.headers)) {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name))
        report(draft, source, [...at, "headers", name], `${JSON.stringify(name)} is not the name of a header`, {
          hint: "use letters, digits and hyphens",
          part: "key",
        });
      if (/[\r\n\0]/.test(value))
        report(draft, source, [...at, "headers", name], "a header is one line", { hint: "remove the line break" });
    }
  }
}

function checkOutput(draft: Draft, { source, definition }: Loaded<Workflow>): void {
  const { output } = definition;
  if (output?.from !== undefined && output.map !== undefined) {
    report(draft, source, ["output"], "`from` and `map` are both given", { hint: "keep one of them" });
  }
}

function checkNesting(draft: Draft, links: Links): void {
  const edges = new Map<string, string[]>();
  for (const [file, targets] of links.steps)
    edges.set(
      file,
      targets.flatMap((target) => (target?.kind === "workflow" ? [target.workflow.file] : [])),
    );
  for (const cycle of listCycles(edges)) {
    const workflow = draft.workflows.find((candidate) => candidate.file === cycle[0]);
    const index =
      links.steps
        .get(cycle[0] ?? "")
        ?.findIndex((target) => target?.kind === "workflow" && target.workflow.file === cycle[1]) ?? 0;
    const names = cycle.map(
      (file) => draft.workflows.find((candidate) => candidate.file === file)?.definition.name ?? file,
    );
    if (workflow === undefined) continue;
    report(
      draft,
      workflow.source,
      ["pipeline", index, "workflow"],
      `workflows run each other in a circle: ${names.join(" → ")}`,
      { hint: "a run of it would never end; remove one of the steps" },
    );
  }
}
