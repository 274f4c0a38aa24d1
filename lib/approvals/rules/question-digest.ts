/**
 * The digest that people approve: over everything that a question is about and everything that it shows. It is computed
 * from the rows whenever a question is read, so that somebody who saw changed rows sends another digest than the sealed
 * one.
 */
import { digestOutput } from "@/lib/text/digest";

export interface AskedQuestion {
  approvalId: string;
  callId: string;
  runId: string;
  stepId: string;
  workflow: string;
  agent: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  agentSays: string | null;
  /** What is sent, and the redacted form that is shown. */
  argumentsCanonical: string;
  arguments: unknown;
  definitionFingerprint: string | null;
  /** Hash of the project that judged it, and every layer of the judgment, with file and line. */
  policyHash: string;
  trace: unknown;
  /** Who started the run, or a run that it retries. */
  starterIds: readonly string[];
}

export function digestQuestion(asked: AskedQuestion): string {
  const { approvalId, callId, runId, stepId, workflow, agent, server, tool, danger, summary, agentSays } = asked;
  return digestOutput({
    approvalId,
    callId,
    runId,
    stepId,
    workflow,
    agent,
    server,
    tool,
    danger,
    summary,
    agentSays,
    sent: asked.argumentsCanonical,
    shown: digestOutput(asked.arguments),
    definition: asked.definitionFingerprint,
    policy: asked.policyHash,
    trace: digestOutput(asked.trace),
    starters: asked.starterIds.toSorted(),
  });
}
