/** Runs before the schema: a step with two kinds, or none, deserves a better message than a list of unknown fields. */
import { formatPath, suggest, type Problem } from "@/lib/config/problem";
import { STEP_KINDS } from "@/lib/config/step-schema";
import type { YamlSource } from "@/lib/config/yaml-source";

export interface StepKindCheck {
  problems: Problem[];
  /** Positions of the steps that have no single kind, so that their other fields are not checked. */
  unclear: ReadonlySet<number>;
}

export function checkStepKinds(source: YamlSource): StepKindCheck {
  const problems: Problem[] = [];
  const unclear = new Set<number>();
  const pipeline = (source.value as { pipeline?: unknown } | null)?.pipeline;
  for (const [index, step] of (Array.isArray(pipeline) ? pipeline : []).entries()) {
    if (step === null || typeof step !== "object" || Array.isArray(step)) continue;
    const kinds = STEP_KINDS.filter((kind) => Object.hasOwn(step, kind));
    if (kinds.length === 1) continue;
    unclear.add(index);
    const at = ["pipeline", index];
    const place = (part: readonly (string | number)[]) => source.locate(part, "key");
    const list = STEP_KINDS.map((kind) => `\`${kind}\``).join(", ");
    const typo = Object.keys(step)
      .map((key) => ({ key, hint: suggest(key, STEP_KINDS) }))
      .find(({ hint }) => hint?.startsWith("did you mean"));
    const [message, hint] =
      kinds.length > 1
        ? [
            `the step has ${kinds.map((kind) => `\`${kind}\``).join(" and ")}`,
            `a step has exactly one of ${list}; split it into several steps`,
          ]
        : typo === undefined
          ? ["the step does nothing", `give exactly one of ${list}`]
          : [`unknown field ${JSON.stringify(typo.key)}`, typo.hint];
    const field = kinds[1] ?? typo?.key;
    const position = place(kinds.length > 1 || typo !== undefined ? [...at, field ?? ""] : at);
    problems.push({ file: source.file, ...position, path: formatPath(at), message, hint, severity: "error" });
  }
  return { problems, unclear };
}
