/** The settings of a provider with its variables filled in: made for one call and discarded after it. */
import type { EnvEntry } from "@/lib/config/field-schemas";
import type { Gateway, Provider } from "@/lib/config/gateway-schema";
import { renderAddress } from "@/lib/config/render-address";
import { listReferences, renderTemplate, TemplateError, type TemplateScope } from "@/lib/config/template";
import { ModelError } from "./model";

/** The value of a declared variable; null when it is set nowhere. */
export type FindVariable = (entry: EnvEntry) => string | null;

export type RemoteProvider = Exclude<Provider, { type: "scripted" }>;

export interface FillOptions {
  /** Named in errors. */
  model: string;
  env: Gateway["env"];
  findVariable: FindVariable;
}

/** Throws `misconfigured`, naming every variable that has no value. */
export function fillProviderConfig<P extends RemoteProvider>(
  provider: P,
  { model, env, findVariable }: FillOptions,
): P["config"] {
  const names = [...new Set(listReferences(provider.config, ["env"]).map(({ path }) => String(path[0])))];
  const values = new Map(names.map((name) => [name, findValue(name, env, findVariable)]));
  const missing = names.filter((name) => values.get(name) === null);
  if (missing.length > 0) {
    const [what, them] = missing.length === 1 ? ["variable", "it"] : ["variables", "them"];
    throw new ModelError(
      { kind: "misconfigured", model },
      `${model} cannot be asked: the ${what} ${missing.join(", ")} of gateway.yaml has no value; set ${them} where this process runs or in the environment file.`,
    );
  }
  const config = fill(provider, { env: Object.fromEntries(values) });
  const problem = typeof config === "string" ? config : findProblem(config);
  if (problem !== null)
    throw new ModelError(
      { kind: "misconfigured", model },
      `${model} cannot be asked: ${problem}, in \`providers\` of gateway.yaml.`,
    );
  return config as P["config"];
}

/** The settings, or why the address cannot be filled in. */
function fill<P extends RemoteProvider>(
  { config: { base_url: address, ...config } }: P,
  scope: TemplateScope,
): P["config"] | string {
  try {
    return {
      ...(renderTemplate(config, scope) as P["config"]),
      ...(address !== undefined && { base_url: String(renderAddress(address, scope, ["base_url"])) }),
    };
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/** Problems that only show once the variables are filled in. Names the field, never its value. */
function findProblem({ base_url, api_key, headers = {} }: RemoteProvider["config"]): string | null {
  if (base_url !== undefined && !/^https?:$/.test(URL.parse(base_url)?.protocol ?? ""))
    return "`base_url` is not an address that begins with https:// or http://";
  const fields = Object.entries({ ...headers, ...(api_key !== undefined && { api_key }) });
  const broken = fields.find(([, value]) => value.trim() === "" || !/^[\t\x20-\x7e\x80-\xff]+$/.test(value.trim()));
  return broken
    ? `\`${broken[0]}\` is empty or has characters that cannot stand in a header, such as a line break`
    : null;
}

function findValue(name: string, env: Gateway["env"], findVariable: FindVariable): string | null {
  const entry = env.find((candidate) => candidate.name === name);
  return entry ? findVariable(entry) : null;
}
