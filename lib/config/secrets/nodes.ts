/** The places that a value can come from, pass through and end in, as shown in a chain. */
import type { Agent } from "@/lib/config/agent-schema";
import type { Loaded } from "@/lib/config/draft";
import type { JsonSchema } from "@/lib/config/field-schemas";
import type { ServerLink } from "@/lib/config/links";
import { isSecretAt, propertiesOf } from "@/lib/config/param-schemas";
import { formatPath, type ValuePath } from "@/lib/config/problem";
import type { Workflow } from "@/lib/config/workflow-schema";
import type { YamlSource } from "@/lib/config/yaml-source";
import type { ChainNode } from "./chain";
import { isMarkedAt } from "./flows";

export const LITERAL_BESIDE_ENV =
  'a secret cannot stand in a file: declare it under `env` with `secret: true` and pass "{{ env.NAME }}"';

/** `of` says whose variable it is, where the chain does not. */
export function envNode(
  { source, definition }: Loaded<Pick<Workflow, "env">>,
  name: string,
  of = "",
): ChainNode | null {
  const index = definition.env.findIndex((entry) => entry.name === name);
  const entry = definition.env[index];
  if (entry === undefined) return null;
  return {
    label: `env ${name}${of}`,
    role: "declared",
    isSecret: entry.secret,
    isFixed: true,
    source,
    at: ["env", index],
    fix: `add \`secret: true\` to env[${index}] (${name})`,
  };
}

/** A value that is read from a param: secret when it, something around it or something inside of it is marked. */
export function workflowParamNode(
  { source, definition }: Loaded<Workflow>,
  path: readonly string[],
  use: "read" | "written",
): ChainNode {
  return paramNode(
    source,
    definition.params?.schema,
    path,
    use,
    `workflow ${definition.name}.params.${path.join(".")}`,
  );
}

export function agentParamNode(
  { source, definition }: Loaded<Agent>,
  path: readonly string[],
  use: "read" | "written",
): ChainNode {
  return paramNode(source, definition.params?.schema, path, use, `agent ${definition.name}.params.${path.join(".")}`);
}

function paramNode(
  source: YamlSource,
  schema: JsonSchema | undefined,
  path: readonly string[],
  use: "read" | "written",
  label: string,
): ChainNode {
  const [name = ""] = path;
  const isDeclared = Object.hasOwn(propertiesOf(schema), name);
  const at = ["params", "schema", "properties", name];
  const fix = isDeclared
    ? `add \`secret: true\` to ${formatPath(at)}`
    : `declare it with \`secret: true\` under ${formatPath(at)}`;
  return {
    label,
    role: "declared",
    isSecret: use === "read" ? isSecretAt(schema, path) : isMarkedAt(schema, path),
    source,
    at,
    fix,
  };
}

export function serverParamNode({ name, server }: ServerLink, param: string): ChainNode | null {
  const declared = Object.hasOwn(server.definition.params, param) ? server.definition.params[param] : undefined;
  if (declared === undefined) return null;
  const at = [...server.base, "params", param];
  return {
    label: `server ${name}.params.${param}`,
    role: "declared",
    isSecret: declared.secret,
    source: server.source,
    at,
    fix: `add \`secret: true\` to ${formatPath(at)}`,
  };
}

export function literalNode(source: YamlSource, at: ValuePath, fix: string): ChainNode {
  return { label: "a literal", role: "constant", isSecret: false, isFixed: true, source, at, fix };
}

export function outputNode(source: YamlSource, at: ValuePath, label: string): ChainNode {
  return {
    label,
    role: "constant",
    isSecret: false,
    source,
    at,
    fix: "what a step gives is recorded, so it cannot be a secret: pass an `env` entry marked `secret: true` instead",
  };
}

export function authNode(source: YamlSource, at: ValuePath, label = "auth"): ChainNode {
  return { label, role: "auth", isSecret: true, source, at, fix: "" };
}

export function openNode(source: YamlSource, at: ValuePath, label: string): ChainNode {
  return {
    label,
    role: "open",
    isSecret: false,
    source,
    at,
    fix: `remove it from ${formatPath(at)}: a secret may be used only in \`auth\` and in webhooks`,
  };
}
