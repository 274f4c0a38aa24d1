/**
 * One agent's answer to one call: the layers in order, the first answer wins, every layer's answer is kept in the
 * trace.
 */
import { type AssessedCall, type LayerInput, toLayerInput } from "./layer-input";
import * as layers from "./layers";
import { type LayerAnswer, lowestBudget, type PolicyLayer, type TraceEntry } from "./policy-answer";
import type { AgentScope } from "./policy-input";

const ORDER: readonly (readonly [PolicyLayer, (input: LayerInput) => LayerAnswer])[] = [
  ["allowlist", layers.judgeAllowlist],
  ["bypass", layers.judgeBypass],
  ["budget", layers.judgeBudgetLayer],
  ["plan", layers.judgePlan],
  ["deny", layers.judgeDeny],
  ["require_approval", layers.judgeRequireApproval],
  ["allow", layers.judgeAllow],
  ["rules", layers.judgeRulesLayer],
  ["danger", layers.judgeDanger],
  ["strict", layers.judgeStrict],
];

export type FinalAnswer = Exclude<LayerAnswer, { outcome: "pass" }>;

export function judgeScope(
  assessed: AssessedCall,
  scope: AgentScope,
): { answer: FinalAnswer; trace: TraceEntry[]; budgetUsd: number | null } {
  const input = toLayerInput(assessed, scope);
  const trace: TraceEntry[] = [];
  let budgetUsd: number | null = null;
  for (const [layer, judge] of ORDER) {
    const answer = judge(input);
    trace.push({ layer, outcome: answer.outcome, reason: answer.reason, source: answer.source, agent: scope.agent });
    if ("budgetUsd" in answer) budgetUsd = lowestBudget([budgetUsd, answer.budgetUsd]);
    if (answer.outcome !== "pass") return { answer, trace, budgetUsd };
  }
  throw new Error("unreachable: the last layer always answers");
}
