/** Sessions of MCP clients with the runs of their calls, each with a journal that verifies. */
import { clientWorkflowName, CLIENT_STEP } from "@/lib/config/profile-parts";
import type { EngineDeps } from "@/lib/database/deps";
import { createId } from "@/lib/ids";
import { generateToken, hashToken, tokenHint } from "@/lib/people/rules/api-token";
import { DEFAULT_APPROVAL_RULE } from "@/lib/policy/approval-rule";
import type { TraceEntry } from "@/lib/policy/policy-answer";
import type { RunChange } from "@/lib/runs/changes/registry";
import { endRun } from "@/lib/runs/changes/run-ended";
import { aCall, aDecision, aQuestion, aRun, aStep, TEST_HASH, turnRecordedAt } from "@/lib/testing/changes";
import { projectAll } from "@/lib/testing/project-all";
import { keepTestVersion, type MadeChange, type SeededRun, writeRuns } from "@/lib/testing/write-runs";
import { canonicalizeArguments, digestArguments } from "@/lib/text/digest";

export interface SeededSession {
  id: string;
  profile: string;
  client: string;
  tokenId: string;
  tokenName: string;
  person: { id: string; name: string };
}

export interface SessionFacts {
  profile?: string;
  clientName?: string;
  clientVersion?: string;
  protocolVersion?: string;
  tokenName?: string;
  /** The token of an earlier session. */
  tokenId?: string;
  at?: Date;
  lastSeenAt?: Date;
  endedAt?: Date;
  spentUsd?: number;
}

/** A session of this person's client, with a token of its own unless one is given. */
export async function buildSession(
  { db, now }: EngineDeps,
  person: { id: string; name: string },
  facts: SessionFacts = {},
): Promise<SeededSession> {
  const { profile = "coding", clientName = "Test client", clientVersion = "1.0.0", tokenName = "laptop" } = facts;
  const [at, token] = [facts.at ?? now(), generateToken()];
  const tokenId = facts.tokenId ?? createId("token");
  if (facts.tokenId === undefined)
    await db.apiToken.create({
      data: {
        id: tokenId,
        name: tokenName,
        userId: person.id,
        createdById: person.id,
        hash: hashToken(token),
        hint: tokenHint(token),
        scopes: ["mcp"],
        profile,
        createdAt: at,
        lastUsedAt: facts.lastSeenAt ?? at,
      },
    });
  const session = {
    id: createId("session"),
    tokenId,
    profile,
    clientName,
    clientVersion,
    protocolVersion: facts.protocolVersion ?? "2025-11-25",
    spentUsd: facts.spentUsd ?? 0,
    createdAt: at,
    lastSeenAt: facts.lastSeenAt ?? at,
    endedAt: facts.endedAt ?? null,
  };
  await db.clientSession.create({ data: session });
  return { id: session.id, profile, client: `${clientName} ${clientVersion}`, tokenId, tokenName, person };
}

export interface SessionCall {
  server?: string;
  tool?: string;
  arguments?: Record<string, unknown>;
  summary?: string;
  at?: Date;
  danger?: "safe" | "low" | "medium" | "high" | "critical";
  /** What became of it: `allowed` ran at once, `approved` ran after a person said so, `waiting` waits for one. */
  outcome?: "allowed" | "approved" | "rejected" | "denied" | "failed" | "waiting";
  by?: { id: string; name: string };
  /** What the one who decided wrote. */
  said?: string;
  output?: string;
}

/** One run for each call, in their order. Returns the ids of the runs. */
export async function addCalls(
  { db, now }: EngineDeps,
  session: SeededSession,
  calls: readonly SessionCall[],
): Promise<string[]> {
  const seeded = calls.map((call) => tellRun(session, call, call.at ?? now()));
  await keepTestVersion(db);
  await writeRuns(db, seeded);
  await projectAll(db);
  return seeded.map(({ run }) => run.id);
}

const SECOND_MS = 1000;

function tellRun(session: SeededSession, told: SessionCall, begun: Date): SeededRun {
  const { server = "shop", tool = "look-up", arguments: args = {}, outcome = "allowed", danger = "low" } = told;
  const workflow = clientWorkflowName(session.profile);
  const step = aStep({ key: CLIENT_STEP, agent: workflow });
  const isAsked = outcome === "approved" || outcome === "rejected" || outcome === "waiting";
  const call = aCall(step.id, {
    server,
    tool,
    danger,
    agent: workflow,
    arguments: args,
    argumentsCanonical: canonicalizeArguments(args),
    digest: digestArguments(args),
    summary: told.summary ?? `Use ${tool}`,
    status: isAsked ? "pending_approval" : outcome === "denied" ? "denied" : "approved",
    trace: [traceOf(session.profile, outcome)],
    error: outcome === "denied" ? { code: "tool_not_permitted", message: `${tool} is not on the allowlist` } : null,
  });
  const question = aQuestion(call, { workflow, rule: { ...DEFAULT_APPROVAL_RULE } });
  const at = (seconds: number): string => new Date(begun.getTime() + seconds * SECOND_MS).toISOString();
  const run = aRun({
    workflow,
    version: "",
    configHash: TEST_HASH,
    steps: [step],
    agents: [workflow],
    startedBy: { kind: "token", id: session.tokenId, name: session.tokenName },
    startedByUserId: session.person.id,
    starterIds: [session.person.id],
    sessionId: session.id,
    params: { tool: `${server}.${tool}`, client: session.client },
  });
  const asked = turnRecordedAt(at(0), step.id, { calls: [call], approvals: isAsked ? [question] : [] });
  const commits: MadeChange[][] = [
    [
      { kind: "run_claimed", at: at(0), worker: "wrk_seed", from: null, was: "pending" },
      { kind: "step_moved", at: at(0), move: { stepId: step.id, key: step.key, to: "running" } },
      asked,
    ],
  ];
  if (outcome === "waiting")
    commits.push([
      { kind: "step_moved", at: at(0), move: { stepId: step.id, key: step.key, to: "pending_approval" } },
      { kind: "run_parked", at: at(0), status: "pending_approval", wakeAt: null, activeMs: 2 },
    ]);
  else commits.push(...tellEnd({ told, callId: call.id, digest: call.digest, approvalId: question.id, step, at }));
  return { run, at: begun, commits };
}

interface End {
  told: SessionCall;
  callId: string;
  digest: string;
  approvalId: string;
  step: { id: string; key: string };
  at: (seconds: number) => string;
}

function tellEnd({ told, callId, digest, approvalId, step, at }: End): MadeChange[][] {
  const { outcome = "allowed", by = { id: "usr_nobody", name: "Somebody" }, said = null, output = "done" } = told;
  const verdict = outcome === "rejected" ? ("rejected" as const) : ("approved" as const);
  const decision = aDecision(by.id, { userName: by.name, verdict, digest, reason: said });
  const decided: RunChange[] =
    outcome === "approved" || outcome === "rejected"
      ? [
          {
            kind: "approval_decided",
            at: at(40),
            approvalId,
            callId,
            decision,
            argumentsDigest: digest,
            edited: null,
            actor: { kind: "user", id: by.id, name: by.name },
          },
        ]
      : [];
  const error = { code: "tool_failed", message: "The shop did not answer in time" };
  const isSent = outcome === "allowed" || outcome === "approved" || outcome === "failed";
  const sent: RunChange[] = isSent
    ? [
        { kind: "call_executing", at: at(41), callId, digest, epoch: 1, warnsOfBudget: false },
        {
          kind: "call_ended",
          at: at(42),
          callId,
          durationMs: 84,
          refundUsd: 0,
          ...(outcome === "failed"
            ? { status: "failed", result: null, error }
            : { status: "succeeded", result: { output, content: [], is_error: false }, error: null }),
        },
      ]
    : [];
  const isGood = outcome === "allowed" || outcome === "approved";
  const why =
    outcome === "failed" ? error : { code: outcome, message: outcome === "denied" ? "Not permitted" : (said ?? "") };
  const end = isGood ? ({ status: "complete", output: null } as const) : ({ status: "failed", error: why } as const);
  return [
    ...(decided.length > 0 ? [decided] : []),
    ...(sent.length > 0 ? [sent] : []),
    [
      {
        kind: "step_moved",
        at: at(43),
        move: { stepId: step.id, key: step.key, to: end.status, ...("error" in end && { error: why }) },
      },
      (snapshot) => endRun(snapshot, { end, activeMs: 90, at: at(43) }),
    ],
  ];
}

function traceOf(profile: string, outcome: SessionCall["outcome"]): TraceEntry {
  const source = { file: `profiles/${profile}.profile.yaml`, line: 9, column: 1 };
  if (outcome === "denied")
    return { layer: "allowlist", outcome: "deny", reason: "it is not on the allowlist", source };
  if (outcome === "approved" || outcome === "rejected" || outcome === "waiting")
    return { layer: "require_approval", outcome: "ask", reason: "it changes what customers see", source };
  return { layer: "allow", outcome: "allow", reason: "it is on the allowlist by its name", source };
}
