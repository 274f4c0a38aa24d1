/** Whether a `when` holds for the arguments of a call. What cannot be evaluated is unclear, never false. */
import { compile, type CompiledExpression, isTruthy } from "@/lib/config/jmespath";

export type WhenResult = { holds: "yes" } | { holds: "no" } | { holds: "unclear"; reason: string };

/**
 * There are few policies and many calls; the oldest are dropped so that projects that are reloaded often do not
 * accumulate.
 */
const COMPILED_MAX = 1_000;
const compiled = new Map<string, CompiledExpression>();

/**
 * Sizes are compared strictly: `amount > 1000` with an amount given as text would be null, and a guard that takes null
 * for "no" can be bypassed by quoting a number. For the same reason null itself is unclear.
 */
export function evaluateWhen(source: string, callArguments: unknown): WhenResult {
  try {
    const result = compileOnce(source).evaluate(callArguments);
    if (result === null) return { holds: "unclear", reason: `\`${source}\` gives null for these arguments` };
    return { holds: isTruthy(result) ? "yes" : "no" };
  } catch (error) {
    return {
      holds: "unclear",
      reason: `\`${source}\` cannot be evaluated: ${error instanceof Error ? error.message : "it failed"}`,
    };
  }
}

function compileOnce(source: string): CompiledExpression {
  const known = compiled.get(source);
  if (known) return known;
  const fresh = compile(source, { strictComparisons: true });
  if (compiled.size >= COMPILED_MAX) compiled.delete(compiled.keys().next().value as string);
  compiled.set(source, fresh);
  return fresh;
}
