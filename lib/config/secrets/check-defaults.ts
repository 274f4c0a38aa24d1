import { report, type Draft } from "@/lib/config/draft";
import { propertiesOf } from "@/lib/config/param-schemas";

const HINT = "remove the default, or the mark: a default stands in the file and can be read by everyone";

/**
 * A default is a literal, so a secret param cannot have one; only an env entry can, for values such as that of a demo.
 */
export function checkSecretDefaults(draft: Draft): void {
  for (const { source, base, definition } of draft.servers) {
    for (const [name, param] of Object.entries(definition.params)) {
      if (!param.secret || param.default === undefined) continue;
      report(
        draft,
        source,
        [...base, "params", name, "default"],
        `the secret param ${JSON.stringify(name)} has a default`,
        { hint: HINT },
      );
    }
  }
  for (const { source, definition } of [...draft.agents, ...draft.workflows]) {
    for (const [name, property] of Object.entries(propertiesOf(definition.params?.schema))) {
      if (property?.secret !== true || property.default === undefined) continue;
      report(
        draft,
        source,
        ["params", "schema", "properties", name, "default"],
        `the secret param ${JSON.stringify(name)} has a default`,
        { hint: HINT },
      );
    }
  }
}
