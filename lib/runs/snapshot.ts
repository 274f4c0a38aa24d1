/**
 * A run's state as folded from its journal. Everything in it is JSON, times are ISO 8601 texts, so that a snapshot can
 * be stored in a journal row. Only the changes in lib/runs/changes fill it.
 */
import type { Actor } from "@/lib/people/rules/actor";
import type { ApprovalStatus } from "@/lib/approvals/rules/approval-state";
import type { CallStatus, SERVER_AWAY } from "@/lib/runs/rules/call-state";
import type { ApprovalRule } from "@/lib/policy/approval-rule";
import type { RunStatus } from "@/lib/runs/rules/run-state";
import type { StepStatus } from "@/lib/runs/rules/step-state";

export interface RunRow {
  id: string;
  workflow: string;
  version: string;
  configHash: string;
  startedBy: Actor;
  /** The person behind it, who may not approve its calls. */
  startedByUserId: string | null;
  /** That person, and those who started the runs that it retries. */
  starterIds: string[];
  retryOfRunId: string | null;
  /** The session of the MCP client whose call it is. */
  sessionId: string | null;
  /** Redacted; secrets are names here. */
  params: Record<string, unknown>;
  agents: string[];
  costBudgetUsd: number | null;
  createdAt: string;
  status: RunStatus;
  error: RunError | null;
  output: unknown;
  tokensIn: number;
  tokensOut: number;
  llmCalls: number;
  toolCalls: number;
  costUsd: number;
  /** Time that workers spent on it, for its time limit; waiting for people does not count. */
  activeMs: number;
  /** Set when the run was in progress while the database lost commits: its calls may have been sent before. */
  commitsLostAt: string | null;
  updatedAt: string;
  completedAt: string | null;
  /** Servers without which the run continues, as its trail says. */
  unreachable: string[];
  /** Set when a process released the run with an event: the next claim then gets an event too. */
  isClaimAnnounced: boolean;
}

export interface RunError {
  code: string;
  message: string;
  step?: string;
  /** How often the run could not be advanced because of a fault that is not its own. */
  attempts?: number;
}

export interface StepRow {
  id: string;
  key: string;
  type: "agent" | "transform" | "webhook" | "workflow";
  status: StepStatus;
  parentId: string | null;
  itemIndex: number | null;
  agent: string | null;
  input: unknown;
  output: unknown;
  rawOutput: unknown;
  error: StepError | ServerWait | null;
  degraded: boolean;
  /** What the agent loop must remember between turns: withdrawn tools, remaining tries, reflected or not. */
  state: Record<string, unknown>;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  llmCalls: number;
  toolCalls: number;
  startedAt: string | null;
  completedAt: string | null;
}

export interface StepError {
  code: string;
  message: string;
  /** Set when neither a fan-out's allowed failures nor an agent's caller may ignore it. */
  fails_run?: true;
  [detail: string]: unknown;
}

/** In place of an error while an approved call, or a step, waits for a server. */
export type ServerWait = {
  code: typeof SERVER_AWAY;
  message: string;
  tries: number;
  /** ISO 8601; it is not tried before. */
  until: string;
};

export interface TurnRow {
  id: string;
  stepId: string;
  number: number;
  model: string;
  request: unknown;
  response: unknown;
  tokensIn: number;
  tokensOut: number;
  costUsd: number;
  durationMs: number;
  createdAt: string;
}

/** One tool call, from the request to the outcome. Only `argumentsCanonical` is executed. */
export interface CallRow {
  id: string;
  stepId: string;
  turnId: string | null;
  parentCallId: string | null;
  /** The id that the model gave, needed to answer it. */
  modelCallId: string | null;
  agent: string;
  server: string;
  tool: string;
  status: CallStatus;
  danger: string;
  /** For people: redacted. */
  arguments: unknown;
  /** What a client proposed, for people, when a person changed it. What a model proposed is in its turn. */
  proposed?: unknown;
  /** RFC 8785 text of what will be sent; secrets are references. */
  argumentsCanonical: string;
  digest: string;
  definitionFingerprint: string | null;
  policyHash: string;
  /** The layers that the policy applied, with file and line. */
  trace: unknown;
  agentSays: string | null;
  summary: string;
  retrySafe: boolean;
  costUsd: number;
  result: unknown;
  error: CallError | ServerWait | null;
  attempt: number;
  epoch: number | null;
  createdAt: string;
  executingAt: string | null;
  /** When a person last said what became of it. */
  settledAt: string | null;
  completedAt: string | null;
  /** The newest approval for it, if people were asked. */
  approval: ApprovalRow | null;
}

export interface CallError {
  code: string;
  message: string;
  fails_run?: true;
}

/** One question to people about one call. */
export interface ApprovalRow {
  id: string;
  callId: string;
  stepId: string;
  status: ApprovalStatus;
  workflow: string;
  agent: string;
  server: string;
  tool: string;
  danger: string;
  summary: string;
  /** Over the arguments: equal for equal arguments. */
  digest: string;
  /** Over everything that the question is about and shows: what people approve. */
  questionDigest: string;
  rule: ApprovalRule;
  approvers: string[];
  minApprovals: number;
  approvals: number;
  selfApproval: boolean;
  editable: boolean;
  onReject: string;
  timeoutBehavior: string;
  escalateTo: string[];
  /** Raised by every change, so that a decision names the version that was seen. */
  version: number;
  expiresAt: string | null;
  escalateAt: string | null;
  escalatedAt: string | null;
  createdAt: string;
  decidedAt: string | null;
  decisions: DecisionRow[];
  /** Why it was rejected. */
  reason: string | null;
  /** A person changed the arguments. */
  edited: boolean;
}

/** One person's decision about one approval. */
export interface DecisionRow {
  id: string;
  userId: string;
  userName: string;
  /** Set when the person decided through a token: both are on record. */
  token: { id: string; name: string } | null;
  verdict: "approved" | "rejected";
  comment: string | null;
  reason: string | null;
  /** Over everything that the person was asked and saw. */
  digest: string;
  /** RFC 8785 text of the arguments as edited, when they were. */
  argumentsCanonical: string | null;
  address: string | null;
  at: string;
}

export interface RunSnapshot {
  run: RunRow;
  steps: Map<string, StepRow>;
  /** By step, in order. */
  turns: Map<string, TurnRow[]>;
  calls: Map<string, CallRow>;
  approvals: Map<string, ApprovalRow>;
}
