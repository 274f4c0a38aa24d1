/** Which projection rows a change of a run rewrites. Pure: the values come from the fold. */
import type { LeftOpen } from "@/lib/runs/changes/left-open";
import type { RunChange } from "@/lib/runs/changes/registry";
import type { RunSnapshot } from "@/lib/runs/snapshot";

export class Touched {
  readonly steps = new Set<string>();
  /** With the step that each one belongs to. */
  readonly turns = new Map<string, string>();
  readonly calls = new Set<string>();
  /** With the approval that each one is about. */
  readonly decisions = new Map<string, string>();

  /** The snapshot already has the change. */
  add(snapshot: RunSnapshot, change: RunChange): void {
    switch (change.kind) {
      case "run_created":
      case "steps_added":
        return change.steps.forEach(({ id }) => this.steps.add(id));
      case "turn_recorded":
        if (change.turn) this.turns.set(change.turn.id, change.stepId);
        this.steps.add(change.stepId);
        return change.calls.forEach(({ id }) => this.calls.add(id));
      case "approval_decided":
        this.decisions.set(change.decision.id, change.approvalId);
        return this.#answer(snapshot, change);
      case "approval_expired":
        return this.#answer(snapshot, change);
      case "call_asked_again":
        if (change.approval) this.steps.add(change.approval.stepId);
        return void this.calls.add(change.call.id);
      case "call_ended":
      case "call_executing":
      case "call_given_up":
      case "call_not_sent":
      case "call_settled":
      case "call_unknown":
        return void this.calls.add(change.callId);
      case "step_delayed":
      case "step_reviewed":
        return void this.steps.add(change.stepId);
      case "step_moved":
        return void this.steps.add(change.move.stepId);
      case "run_cancelled":
      case "run_ended":
        return this.#leftOpen(change.leftOpen);
      case "approval_escalated":
      case "approval_extended":
      case "approval_noted":
      case "approval_tightened":
      case "commits_lost":
      case "run_claimed":
      case "run_parked":
      case "run_released":
      case "run_retried":
      case "server_missed":
        return;
      default:
        throw new Error(`unreachable: nothing says what ${JSON.stringify(change satisfies never)} touches`);
    }
  }

  /** The call moves with the decision, and its step continues when it was the last open approval. */
  #answer({ approvals }: RunSnapshot, { approvalId, callId }: { approvalId: string; callId: string }): void {
    this.calls.add(callId);
    const stepId = approvals.get(approvalId)?.stepId;
    if (stepId !== undefined) this.steps.add(stepId);
  }

  #leftOpen({ steps, calls }: LeftOpen): void {
    for (const { id } of steps) this.steps.add(id);
    for (const { id } of calls) this.calls.add(id);
  }
}
