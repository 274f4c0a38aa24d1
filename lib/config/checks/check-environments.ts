import type { Environment } from "@/lib/config/environment-schema";
import { report, type Draft, type Loaded } from "@/lib/config/draft";
import { suggest } from "@/lib/config/problem";
import { checkTemplates } from "./check-templates";
import { checkUnique } from "./check-unique";

export function checkEnvironments(draft: Draft): void {
  checkUnique(
    draft,
    "environment",
    draft.environments.map(({ definition, source }) => ({ name: definition.name, source, at: ["name"] })),
  );
  for (const environment of draft.environments) {
    checkTemplates(draft, environment, () => ({ roots: [], hint: "an environment file holds values only" }));
    checkOverrides(draft, environment);
  }
}

function checkOverrides(draft: Draft, { source, definition }: Loaded<Environment>): void {
  const known = draft.gateway?.definition.providers.map((provider) => provider.name) ?? [];
  for (const [index, { name }] of (definition.providers ?? []).entries()) {
    if (known.includes(name) || draft.gateway === null) continue;
    report(
      draft,
      source,
      ["providers", index, "name"],
      `gateway.yaml has no provider ${JSON.stringify(name)} to replace`,
      { hint: suggest(name, known, "providers") },
    );
  }
  if (definition.state === undefined) return;
  report(draft, source, ["state"], "this field is not used", {
    severity: "warning",
    hint: "the database is set by DATABASE_URL; remove it",
    part: "key",
  });
}
