/** The air-lock: an agent's answer becomes a step's output only if it fits; otherwise it is returned to the agent. */
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";
import { withoutReserved } from "@/lib/models/rules/output-schema";
import { parseAnswer } from "@/lib/models/rules/parse-answer";
import { readReserved, type ReservedContext } from "@/lib/models/rules/reserved-fields";
import type { ModelTurn } from "@/lib/models/model";
import { checkAgainstSchema } from "@/lib/tools/schema-check";

export type AnswerVerdict =
  | { kind: "ended"; outcome: StepOutcome }
  /** Sent to the agent before its next turn. */
  | {
      kind: "again";
      text: string;
      reflected?: boolean;
      violation?: { code: "output_invalid" | "model_cut"; problem: string; raw: unknown };
    }
  | { kind: "review"; message: string; raw: unknown };

export interface AnswerRules extends ReservedContext {
  schemas: Readonly<Record<string, unknown>>[];
  /** Called only when the agent has to reflect. */
  reflect: () => string;
  degraded: boolean;
}

const REFUSED =
  "The model declined to answer, or its provider's filter held the answer back. A refusal is an answer, so it was not asked again.";
const CUT = "The answer was cut at the token limit, so its end is missing.";

export function checkAnswer(
  { text, finishReason }: Pick<ModelTurn, "text" | "finishReason">,
  rules: AnswerRules,
): AnswerVerdict {
  if (finishReason === "refused")
    return {
      kind: "ended",
      outcome: { kind: "failed", error: { code: "model_refused", message: REFUSED }, rawOutput: text },
    };
  // The rest may still parse as an answer, and would then pass for the whole one.
  if (finishReason === "length")
    return {
      kind: "again",
      text: `${CUT} Give the whole answer again, shorter.`,
      violation: { code: "model_cut", problem: CUT, raw: text },
    };
  const parsed = parseAnswer(text, rules.schemas.length > 0);
  if (!parsed.ok)
    return {
      kind: "again",
      text: `${parsed.problem} Answer again.`,
      violation: { code: "output_invalid", problem: parsed.problem, raw: text },
    };
  const { verdict, output, notes } = readReserved(parsed.answer, rules);
  switch (verdict.kind) {
    case "fail_run":
      return {
        kind: "ended",
        outcome: {
          kind: "failed",
          error: { code: verdict.code, message: verdict.message, fails_run: true },
          rawOutput: parsed.answer,
        },
      };
    case "fail_step":
      return {
        kind: "ended",
        outcome: { kind: "failed", error: { code: verdict.code, message: verdict.message }, rawOutput: parsed.answer },
      };
    case "needs_human":
      return { kind: "review", message: verdict.message, raw: parsed.answer };
    case "reflect":
      return { kind: "again", text: rules.reflect(), reflected: true };
    case "skip":
      return { kind: "ended", outcome: { kind: "skipped", reason: verdict.reason } };
    case "accept":
      return checkFit({ output, raw: parsed.answer, notes }, rules);
  }
}

function checkFit(
  { output, raw, notes }: { output: Record<string, unknown>; raw: unknown; notes: object },
  rules: AnswerRules,
): AnswerVerdict {
  for (const schema of rules.schemas) {
    const fit = checkAgainstSchema(withoutReserved(schema), output);
    if (fit.kind === "unusable")
      return {
        kind: "ended",
        outcome: { kind: "failed", error: { code: "output_schema_unusable", message: fit.reason }, rawOutput: raw },
      };
    if (fit.kind === "violation") {
      const problem = `The answer does not fit its schema: ${fit.problems.join("; ")}`;
      return {
        kind: "again",
        text: `${problem}. Answer again with one JSON object that fits: ${JSON.stringify(schema)}`,
        violation: { code: "output_invalid", problem, raw },
      };
    }
  }
  return { kind: "ended", outcome: { kind: "complete", output, degraded: rules.degraded, notes } };
}
