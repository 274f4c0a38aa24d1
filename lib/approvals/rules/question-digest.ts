/**
 * The digest that people approve: over everything that a question is about and everything that it shows. It is made
 * anew from the rows whenever a question is read, so that whoever saw changed rows answers another digest than the
 * sealed one.
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
  /** What is sent, and its redacted form that is shown. */
  argumentsCanonical: string;
  arguments: unknown;
  definitionFingerprint: string | null;
  /** Of the project by which it was judged, and every layer that it passed, with file and line. */
  policyHash: string;
  trace: unknown;
  /** Who started the run, or one that it is a retry of. */
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
