import { isUnknown, report, resolveProjectPath, type Draft, type Loaded } from "@/lib/config/draft";
import type { EnvEntry } from "@/lib/config/field-schemas";
import type { Gateway, Provider } from "@/lib/config/gateway-schema";
import { suggest, type ValuePath } from "@/lib/config/problem";
import { parseTemplates } from "@/lib/config/template";
import type { YamlSource } from "@/lib/config/yaml-source";
import { checkPlainHttp } from "./check-plain-http";
import { checkDeclaredEnv, checkEnvBlock, checkSecretPlace } from "./check-env";
import { checkTemplates } from "./check-templates";
import { checkUnique } from "./check-unique";

export function checkModelGroup(draft: Draft, source: YamlSource, at: ValuePath, group: string): void {
  if (draft.broken.has("gateway.yaml") || isUnknown(draft, "gateway.yaml", "model_groups", "*", "name")) return;
  const groups = draft.gateway?.definition.model_groups.map((candidate) => candidate.name) ?? [];
  if (groups.includes(group)) return;
  const hint =
    draft.gateway === null
      ? "the project has no gateway.yaml; add one with `providers` and `model_groups`"
      : suggest(group, groups, "model groups of gateway.yaml");
  report(draft, source, at, `no model group ${JSON.stringify(group)}`, { hint });
}

export function checkGateway(draft: Draft): void {
  if (draft.gateway === null) return;
  const { source, definition } = draft.gateway;
  checkUnique(
    draft,
    "provider",
    definition.providers.map(({ name }, index) => ({ name, source, at: ["providers", index, "name"] })),
  );
  checkUnique(
    draft,
    "model group",
    definition.model_groups.map(({ name }, index) => ({ name, source, at: ["model_groups", index, "name"] })),
  );
  checkTemplates(draft, draft.gateway, ([field, , inner]) =>
    field === "providers" && inner === "config"
      ? ["env"]
      : { roots: [], hint: "in the gateway only `providers[].config` is filled in, from `env`" },
  );
  checkEnvBlock(draft, source, definition.env);
  definition.providers.forEach((provider, index) =>
    checkProvider(draft, source, ["providers", index], provider, definition.env),
  );
  checkGroups(draft, draft.gateway);
}

function checkGroups(draft: Draft, { source, definition }: Loaded<Gateway>): void {
  const providers = definition.providers.map((provider) => provider.name);
  for (const [index, group] of definition.model_groups.entries()) {
    for (const [position, model] of group.models.entries()) {
      const provider = model.slice(0, model.indexOf("/"));
      if (providers.includes(provider) || isUnknown(draft, source.file, "providers", "*", "name")) continue;
      report(draft, source, ["model_groups", index, "models", position], `no provider ${JSON.stringify(provider)}`, {
        hint: suggest(provider, providers, "providers"),
      });
    }
    const ids = group.models.flatMap((model) => [model, model.slice(model.indexOf("/") + 1)]);
    for (const [position, { model }] of group.pricing.entries()) {
      if (ids.includes(model) || isUnknown(draft, source.file, "model_groups", index, "models")) continue;
      report(
        draft,
        source,
        ["model_groups", index, "pricing", position, "model"],
        `the group has no model ${JSON.stringify(model)}`,
        { hint: suggest(model, ids, "models of the group") },
      );
    }
  }
}

function checkProvider(
  draft: Draft,
  source: YamlSource,
  at: ValuePath,
  provider: Provider,
  env: readonly EnvEntry[],
): void {
  if (provider.type === "scripted") {
    const files = draft.scripts.map((script) => script.file);
    if (
      !resolveProjectPath(source.file, provider.config.script).some(
        (candidate) => files.includes(candidate) || draft.broken.has(candidate),
      )
    ) {
      report(draft, source, [...at, "config", "script"], `no script ${JSON.stringify(provider.config.script)}`, {
        hint: suggest(provider.config.script, files, "scripts") ?? "put it in models/ and name it NAME.script.yaml",
      });
    }
    return;
  }
  for (const { path, at: inside } of parseTemplates(provider.config, ["env"]).references) {
    checkDeclaredEnv(draft, source, [...at, "config", ...inside], path[0] ?? "", env);
  }
  const { api_key: key, base_url: address, headers = {} } = provider.config;
  if (address !== undefined && (key !== undefined || Object.keys(headers).length > 0))
    checkPlainHttp(draft, source, [...at, "config", "base_url"], address);
  if (key !== undefined) checkSecretPlace(draft, source, [...at, "config", "api_key"], key, env);
}
