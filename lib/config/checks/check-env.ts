/** Declared variables, and the credentials that come from them. */
import { isUnknown, report, type Draft } from "@/lib/config/draft";
import type { EnvEntry } from "@/lib/config/field-schemas";
import { suggest, type ValuePath } from "@/lib/config/problem";
import { parseTemplates } from "@/lib/config/template";
import type { YamlSource } from "@/lib/config/yaml-source";
import { checkUnique } from "./check-unique";

/** Reports `{{ env.NAME }}` of a variable that is not declared. */
export function checkDeclaredEnv(
  draft: Draft,
  source: YamlSource,
  at: ValuePath,
  name: string,
  env: readonly EnvEntry[],
): void {
  if (env.some((entry) => entry.name === name) || isUnknown(draft, source.file, "env", "*", "name")) return;
  report(draft, source, at, `the variable ${JSON.stringify(name)} is not declared`, {
    hint:
      suggest(
        name,
        env.map((entry) => entry.name),
        "declared",
      ) ?? `add \`- name: ${name}\` under \`env\``,
  });
}

/** A credential outside of the chain of agents and servers must come from a variable marked secret. */
export function checkSecretPlace(
  draft: Draft,
  source: YamlSource,
  at: ValuePath,
  value: string,
  env: readonly EnvEntry[],
): void {
  const { references } = parseTemplates(value, ["env"]);
  if (references.length === 0 && !value.includes("{{")) {
    report(
      draft,
      source,
      at,
      "the secret itself stands in the file, where everyone who reads the repository can see it",
      {
        severity: "warning",
        hint: 'declare a variable under `env` with `secret: true` and write "{{ env.NAME }}"',
      },
    );
  }
  for (const { path } of references) {
    const index = env.findIndex((entry) => entry.name === path[0]);
    const entry = env[index];
    if (entry === undefined || entry.secret) continue;
    report(draft, source, ["env", index], "secret chain broken", {
      chain: `env ${entry.name} (NOT secret)  →  ${at.at(-1) === "api_key" ? "api_key of the provider" : `${at.filter((part) => typeof part === "string").join(".")}`} (secret)`,
      hint: `add \`secret: true\` to env[${index}] (${entry.name})`,
    });
  }
}

/** Duplicates, and variables that have no value anywhere. */
export function checkEnvBlock(draft: Draft, source: YamlSource, env: readonly EnvEntry[]): void {
  checkUnique(
    draft,
    "variable",
    env.map(({ name }, index) => ({ name, source, at: ["env", index, "name"] })),
  );
  for (const [index, entry] of env.entries()) {
    const values = draft.environment?.definition.variables ?? {};
    if (entry.default !== undefined || draft.processVariables.has(entry.name) || Object.hasOwn(values, entry.name))
      continue;
    const where = draft.environment === null ? "an environment file (chosen with --env)" : draft.environment.file;
    report(draft, source, ["env", index, "name"], `the variable ${entry.name} has no value`, {
      severity: "warning",
      hint: `set it in the process environment or in ${where}, or give a \`default\``,
    });
  }
}
