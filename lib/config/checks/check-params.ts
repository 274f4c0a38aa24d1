/** Checks that given params match the declared ones in name and, where it can be known, in type. */
import type { Agent } from "@/lib/config/agent-schema";
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import type { JsonSchema } from "@/lib/config/field-schemas";
import type { Links, ServerLink } from "@/lib/config/links";
import {
  areTypesCompatible,
  isOpen,
  outputSchemaOf,
  propertiesOf,
  requiredOf,
  schemaAt,
  typeOf,
  typesOf,
} from "@/lib/config/param-schemas";
import { findNearest, suggest, type ValuePath } from "@/lib/config/problem";
import { isClientWorkflow } from "@/lib/config/profile-parts";
import type { AgentStep, WorkflowStep } from "@/lib/config/step-schema";
import { parseTemplates } from "@/lib/config/template";
import type { Workflow } from "@/lib/config/workflow-schema";
import { describe } from "@/lib/config/zod-problems";

type TypeOfReference = (root: string, path: readonly string[]) => readonly string[] | null;

export function checkParams(draft: Draft, links: Links): void {
  // Params of profiles are checked with the profiles.
  for (const agent of draft.agents) {
    if (!isClientWorkflow(agent.definition.name)) checkAgentFile(draft, agent, links);
  }
  for (const workflow of draft.workflows) {
    if (isClientWorkflow(workflow.definition.name)) continue;
    for (const [index, step] of workflow.definition.pipeline.entries()) {
      const target = links.steps.get(workflow.file)?.[index];
      if (target?.kind === "agent" && "agent" in step)
        checkAgentStep(draft, workflow, index, step, target.agent, links);
      if (target?.kind === "workflow" && "workflow" in step)
        checkWorkflowStep(draft, workflow, index, step, target.workflow, links);
    }
  }
}

function checkAgentFile(draft: Draft, agent: Loaded<Agent>, links: Links): void {
  const { prompt, params } = agent.definition;
  const schema = params?.schema;
  const typeOfReference: TypeOfReference = (_root, path) => typesOf(schemaAt(schema, path));
  const checkDeclared = (value: unknown, at: ValuePath) => {
    for (const { path, at: inside } of parseTemplates(value, ["params"]).references) {
      const [name = ""] = path;
      if (Object.hasOwn(propertiesOf(schema), name) || (schema !== undefined && isOpen(schema))) continue;
      const known = Object.keys(propertiesOf(schema));
      report(draft, agent.source, [...at, ...inside], `the agent declares no param ${JSON.stringify(name)}`, {
        hint: suggest(name, known, "declared") ?? "add it to params.schema.properties",
      });
    }
  };
  checkDeclared(prompt.user, ["prompt", "user"]);
  checkDeclared(prompt.reflect, ["prompt", "reflect"]);
  for (const { index, name, server } of links.servers.get(agent.file) ?? []) {
    const given = agent.definition.servers[index]?.params ?? {};
    checkDeclared(given, ["servers", index, "params"]);
    const known = Object.keys(server.definition.params);
    for (const param of Object.keys(given)) {
      if (known.includes(param)) continue;
      report(
        draft,
        agent.source,
        ["servers", index, "params", param],
        `server ${name} has no param ${JSON.stringify(param)}`,
        { hint: suggest(param, known, "params of the server"), part: "key" },
      );
    }
  }
  for (const { at, agent: child, params: fixed } of links.subagents.get(agent.file) ?? []) {
    checkDeclared(fixed, [...at, "params"]);
    for (const [name, property] of Object.entries(propertiesOf(child.definition.params?.schema))) {
      if (property?.secret !== true || Object.hasOwn(fixed, name)) continue;
      report(
        draft,
        agent.source,
        at,
        `the secret param ${JSON.stringify(name)} of agent ${child.definition.name} cannot come from the model`,
        {
          hint: `write { path: ${child.file}, params: { ${name}: "{{ params.NAME }}" } } with a param of this agent that is marked secret`,
        },
      );
    }
    checkGiven(draft, agent.source, {
      at: [...at, "params"],
      given: fixed,
      schema: child.definition.params?.schema,
      owner: `agent ${child.definition.name}`,
      isPartial: true,
      typeOfReference,
    });
  }
}

function checkAgentStep(
  draft: Draft,
  workflow: Loaded<Workflow>,
  index: number,
  step: AgentStep,
  agent: Loaded<Agent>,
  links: Links,
): void {
  const { server: overrides, ...given } = step.params;
  const at = ["pipeline", index, "params"];
  const schema = agent.definition.params?.schema;
  const owner = `agent ${agent.definition.name}`;
  checkGiven(draft, workflow.source, {
    at,
    given,
    schema,
    owner,
    isPartial: false,
    typeOfReference: referenceTypes(workflow, links),
  });
  checkUsed(draft, workflow, at, given, agent);
  const servers = links.servers.get(agent.file) ?? [];
  if (overrides !== undefined) checkOverrides(draft, workflow, [...at, "server"], overrides, servers, agent);
  for (const link of servers) checkServerParams(draft, workflow, ["pipeline", index], link, agent, overrides);
}

interface Given {
  at: ValuePath;
  given: Readonly<Record<string, unknown>>;
  schema: JsonSchema | undefined;
  owner: string;
  /** True when others give the rest, so that nothing is missing yet. */
  isPartial: boolean;
  typeOfReference: TypeOfReference;
}

function checkGiven(
  draft: Draft,
  source: Loaded<unknown>["source"],
  { at, given, schema, owner, isPartial, typeOfReference }: Given,
): void {
  if (schema === undefined) return; // Files of older projects declare no params; they get what they are given.
  const properties = propertiesOf(schema);
  const names = Object.keys(properties);
  const meant = new Set(
    Object.keys(given)
      .filter((name) => !names.includes(name))
      .map((name) => findNearest(name, names)),
  );
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(properties, name)) {
      if (isOpen(schema)) continue;
      report(draft, source, [...at, name], `${owner} has no param ${JSON.stringify(name)}`, {
        hint: suggest(name, names, "its params"),
        part: "key",
      });
      continue;
    }
    checkType(draft, source, [...at, name], value, properties[name] ?? {}, {
      name: `the param ${name} of ${owner}`,
      typeOfReference,
    });
  }
  for (const name of isPartial ? [] : requiredOf(schema)) {
    if (Object.hasOwn(given, name) || meant.has(name) || properties[name]?.default !== undefined) continue;
    report(draft, source, at, `${owner} needs the param ${JSON.stringify(name)}`, {
      hint: `add \`${name}:\` here`,
      part: "key",
    });
  }
}

function checkType(
  draft: Draft,
  source: Loaded<unknown>["source"],
  at: ValuePath,
  value: unknown,
  schema: JsonSchema,
  { name, typeOfReference }: { name: string; typeOfReference: TypeOfReference },
): void {
  const wanted = typesOf(schema);
  const { references } = parseTemplates(value);
  const [first] = references;
  const isWhole = typeof value === "string" && references.length === 1 && first?.whole === true;
  const given = isWhole && first ? typeOfReference(first.root, first.path) : [typeOf(value)];
  if (!areTypesCompatible(given, wanted)) {
    const shown = isWhole ? `{{ ${first?.text} }} gives ${nameTypes(given)}` : `${describe(value)} is given`;
    report(draft, source, at, `${name} must be ${nameTypes(wanted)}, but ${shown}`);
  } else if (
    references.length === 0 &&
    Array.isArray(schema.enum) &&
    !schema.enum.some((allowed) => JSON.stringify(allowed) === JSON.stringify(value))
  ) {
    report(draft, source, at, `${describe(value)} is not allowed for ${name}`, {
      hint: typeof value === "string" ? suggest(value, schema.enum.map(String), "allowed") : undefined,
    });
  }
}

function nameTypes(types: readonly string[] | null): string {
  return (types ?? [])
    .map((type) => (type === "null" ? type : `${/^[aio]/.test(type) ? "an" : "a"} ${type}`))
    .join(" or ");
}

/** A param that the agent's texts use, but that nobody gives, would fail the step when it starts. */
function checkUsed(
  draft: Draft,
  workflow: Loaded<Workflow>,
  at: ValuePath,
  given: Readonly<Record<string, unknown>>,
  agent: Loaded<Agent>,
): void {
  const schema = agent.definition.params?.schema;
  const required = requiredOf(schema);
  const { references } = parseTemplates(
    [agent.definition.prompt.user ?? "", agent.definition.prompt.reflect ?? ""],
    ["params"],
  );
  for (const name of new Set(references.map((reference) => reference.path[0] ?? ""))) {
    const property = schemaAt(schema, [name]);
    if (property === null || required.includes(name) || Object.hasOwn(given, name) || property.default !== undefined)
      continue;
    report(
      draft,
      workflow.source,
      at,
      `the prompt of ${agent.definition.name} uses params.${name}, which the step does not give`,
      { hint: `add \`${name}:\` here, or a \`default\` in ${agent.file}`, part: "key" },
    );
  }
}

function checkOverrides(
  draft: Draft,
  workflow: Loaded<Workflow>,
  at: ValuePath,
  overrides: unknown,
  servers: readonly ServerLink[],
  agent: Loaded<Agent>,
): void {
  if (overrides === null || typeof overrides !== "object" || Array.isArray(overrides)) {
    report(draft, workflow.source, at, `expected a mapping, got ${describe(overrides)}`, {
      hint: "write `server: { NAME: { PARAM: value } }`",
    });
    return;
  }
  const isWhole = servers.length === agent.definition.servers.length;
  for (const [name, values] of Object.entries(overrides)) {
    const link = servers.find((candidate) => candidate.name === name);
    if (link === undefined) {
      // The server's own file or reference is wrong, which is reported there, so not even its name is known.
      if (!isWhole) continue;
      report(
        draft,
        workflow.source,
        [...at, name],
        `agent ${agent.definition.name} has no server ${JSON.stringify(name)}`,
        {
          hint: suggest(
            name,
            servers.map((server) => server.name),
            "its servers",
          ),
          part: "key",
        },
      );
      continue;
    }
    if (values === null || typeof values !== "object" || Array.isArray(values)) {
      report(draft, workflow.source, [...at, name], `expected a mapping, got ${describe(values)}`);
      continue;
    }
    const known = Object.keys(link.server.definition.params);
    for (const param of Object.keys(values)) {
      if (!known.includes(param))
        report(draft, workflow.source, [...at, name, param], `server ${name} has no param ${JSON.stringify(param)}`, {
          hint: suggest(param, known, "params of the server"),
          part: "key",
        });
    }
  }
}

function checkServerParams(
  draft: Draft,
  workflow: Loaded<Workflow>,
  at: ValuePath,
  { index, name, server }: ServerLink,
  agent: Loaded<Agent>,
  overrides: unknown,
): void {
  const fromAgent = agent.definition.servers[index]?.params ?? {};
  const given = (overrides ?? {}) as Record<string, Record<string, unknown> | null>;
  const fromStep = (Object.hasOwn(given, name) ? given[name] : null) ?? {};
  for (const [param, { default: fallback, secret }] of Object.entries(server.definition.params)) {
    if (fallback !== undefined || Object.hasOwn(fromAgent, param) || Object.hasOwn(fromStep, param)) continue;
    report(
      draft,
      workflow.source,
      at,
      `server ${name} of agent ${agent.definition.name} needs the param ${JSON.stringify(param)}, which nobody gives`,
      {
        hint: `add it under servers[${index}].params in ${agent.file}, or under params.server.${name} here${secret || server.file === "" ? "" : `, or give it a default in ${server.file}`}`,
      },
    );
  }
}

function checkWorkflowStep(
  draft: Draft,
  workflow: Loaded<Workflow>,
  index: number,
  step: WorkflowStep,
  target: Loaded<Workflow>,
  links: Links,
): void {
  const at = ["pipeline", index];
  if (step.input !== undefined && step.params !== undefined) {
    report(draft, workflow.source, [...at, "params"], "`input` and `params` are both given", {
      hint: "they mean the same; keep `input`",
      part: "key",
    });
  }
  const field = step.input === undefined && step.params !== undefined ? "params" : "input";
  checkGiven(draft, workflow.source, {
    at: [...at, field],
    given: step.input ?? step.params ?? {},
    schema: target.definition.params?.schema,
    owner: `workflow ${target.definition.name}`,
    isPartial: false,
    typeOfReference: referenceTypes(workflow, links),
  });
  if (step.webhooks === "execute" && target.definition.webhooks !== "execute") {
    report(
      draft,
      workflow.source,
      [...at, "webhooks"],
      `${target.definition.name} does not opt in to sending its webhooks`,
      { severity: "warning", hint: `add \`webhooks: execute\` to ${target.file}` },
    );
  }
}

function referenceTypes({ definition, file }: Loaded<Workflow>, links: Links): TypeOfReference {
  return (root, path) => {
    if (root === "env") return ["string"];
    if (root === "item_index") return ["integer"];
    if (root === "params") return typesOf(schemaAt(definition.params?.schema, path));
    const index = root === "step" ? definition.pipeline.findIndex((step) => step.id === path[0]) : -1;
    const step = definition.pipeline[index];
    return step === undefined
      ? null
      : typesOf(schemaAt(outputSchemaOf(step, links.steps.get(file)?.[index] ?? null), path.slice(1)));
  };
}
