import type { DangerLevel } from "@/lib/policy/danger";
import { type ReadRun, unknownTimesOf } from "@/lib/runs/queries/read-run";
import { stepKeyOf } from "@/lib/runs/rules/run-places";

/** A call with unknown outcome, until a person settles it. */
export interface UnsettledCall {
  id: string;
  stepId: string;
  /** As the workflow's file names it. */
  stepKey: string;
  agent: string;
  server: string;
  tool: string;
  danger: DangerLevel;
  summary: string;
  /** Redacted. */
  arguments: unknown;
  /** What came back, or that nothing did. */
  reason: string | null;
  /** No agent made it. */
  isWebhook: boolean;
  since: Date;
}

/** At most this many are listed, the first ones first. */
const LISTED_MAX = 100;

/** Those of a run, oldest first, even when it is over. */
export function unsettledCallsOf(read: ReadRun): UnsettledCall[] {
  const { snapshot } = read;
  const calls = [...snapshot.calls.values()].filter(({ status }) => status === "outcome_unknown").slice(0, LISTED_MAX);
  const since = unknownTimesOf(read);
  return calls.map((call) => {
    const { id, stepId, agent, server, tool, danger, summary, turnId, error } = call;
    return {
      id,
      stepId,
      agent,
      server,
      tool,
      summary,
      arguments: call.arguments,
      danger: danger as DangerLevel,
      reason: error?.message ?? null,
      isWebhook: agent === "" && turnId === null,
      stepKey: stepKeyOf(snapshot, call),
      since: since.get(id) ?? new Date(0),
    };
  });
}
