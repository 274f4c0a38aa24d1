/**
 * Params for an agent or a sub-workflow: defaults are filled in, and what does not fit the receiver's schema is
 * refused.
 */
import { listSecrets } from "@/lib/config/secret-ref";
import { KimitsuError } from "@/lib/errors";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

interface ParamSchema {
  properties?: Record<string, { default?: unknown }>;
}

/** Throws `invalid_request` with all problems. A secret is a reference here, so only its presence can be checked. */
export function fillParams(
  receiver: string,
  schema: Readonly<Record<string, unknown>> | undefined,
  params: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = (schema as ParamSchema | undefined)?.properties ?? {};
  const defaults = Object.entries(properties).filter(([, property]) => property.default !== undefined);
  const filled = { ...Object.fromEntries(defaults.map(([name, property]) => [name, property.default])), ...params };
  if (!schema) return filled;
  const secret = Object.keys(filled).filter((name) => listSecrets(filled[name]).length > 0);
  const open = { ...schema, properties: { ...properties, ...Object.fromEntries(secret.map((name) => [name, {}])) } };
  const fit = checkAgainstSchema(open, filled);
  if (fit.kind === "fits") return filled;
  const problems = fit.kind === "violation" ? fit.problems : [fit.reason];
  throw new KimitsuError("invalid_request", `The params do not fit ${receiver}: ${problems.join("; ")}.`, {
    issues: problems.map((message) => ({ path: "params", message })),
  });
}
