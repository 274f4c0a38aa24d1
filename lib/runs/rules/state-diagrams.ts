/** The state tables as diagrams for docs/ARCHITECTURE.md, which `scripts/state-diagrams.mjs` compares and writes. */
import { APPROVAL_TRANSITIONS } from "@/lib/approvals/rules/approval-state";
import { CALL_TRANSITIONS, FIRST_CALL_STATUSES } from "@/lib/runs/rules/call-state";
import { RUN_TRANSITIONS } from "@/lib/runs/rules/run-state";
import { STEP_TRANSITIONS } from "@/lib/runs/rules/step-state";
import type { TransitionTable } from "@/lib/runs/rules/transition-table";

/** A flow chart takes all transitions out of a state in one line. A final state has no line of its own. */
function draw(name: string, first: readonly string[], table: TransitionTable<string>): string {
  const ways = Object.entries(table).filter(([, to]) => to.length > 0);
  const lines = ways.map(([from, to]) => `  ${from} --> ${to.join(" & ")}`);
  return ["```mermaid", "flowchart LR", `  new(["${name}"]) --> ${first.join(" & ")}`, ...lines, "```"].join("\n");
}

export function drawStates(): string {
  return [
    draw("run", ["pending"], RUN_TRANSITIONS),
    draw("step", ["pending"], STEP_TRANSITIONS),
    draw("call", FIRST_CALL_STATUSES, CALL_TRANSITIONS),
    draw("approval", ["pending"], APPROVAL_TRANSITIONS),
  ].join("\n");
}
