/**
 * Sends one approved call, at most once: the grant is used up in the commit before the bytes leave, and the outcome is
 * committed after. A call that is no longer as it was judged is not sent but asked again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { listHidden, redact, redactText } from "@/lib/text/redaction";
import { createSecretMatcher, joinMatchers } from "@/lib/text/secret-matcher";
import { toErrorResult } from "@/lib/tools/rules/tool-result";
import type { AgentWithTools, KnownServer } from "@/lib/runs/advance/agent-tools";
import { askAgain, type Lapse } from "@/lib/runs/advance/ask-again";
import { findLapse } from "@/lib/runs/advance/find-lapse";
import { isReadOnly } from "@/lib/runs/advance/judge-call";
import { beginCall } from "@/lib/runs/advance/begin-call";
import type { RunContext } from "@/lib/runs/advance/run-context";
import type { Waiting } from "@/lib/runs/advance/step-outcome";
import { waitForServer, waitOrGiveUp } from "@/lib/runs/advance/wait-for-server";
import { KimitsuError } from "@/lib/errors";
import { pause } from "@/lib/pause";
import type { CallRow } from "@/lib/runs/snapshot";
import { giveBackThrottle, takeThrottle, type ThrottleLimit } from "@/lib/database/take-throttle";
import { followToolCall } from "@/lib/telemetry/record-step";
import { callTool, type ToolCallOutcome } from "@/lib/tools/call-tool";
import { matchSecrets, type ToolServer } from "@/lib/tools/tool-server";

/** How long to wait before checking again a switch that a person has to turn. */
export const PAUSED_RECHECK_MS = 2_000;

/**
 * How often a read-only or idempotent call is sent without a usable answer, and the pause before the second time; it
 * doubles.
 */
export const SENDS_MAX = 3;
export const RESEND_BACKOFF_MS = 200;

const RATE_WINDOW_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/**
 * Null when the call has an outcome, or waits for people again; otherwise until when it has to wait. `isBegun`: the commit
 * that recorded the call has begun it too, under the lease of this worker.
 */
export async function dispatchCall(
  context: RunContext,
  agent: AgentWithTools,
  { call, isBegun = false }: { call: CallRow; isBegun?: boolean },
): Promise<Waiting | null> {
  const { work, tools } = agent;
  const server = tools.servers.get(call.server);
  if (!server)
    throw new Error(`unreachable: call ${call.id} is for ${call.server}, which agent ${work.agent.name} does not have`);
  const away = server.reachable
    ? null
    : await waitOrGiveUp(context, call, `${call.server}.${call.tool} was not called: its server cannot be reached.`);
  if (away) return away.waiting;
  const wasSent = !isBegun && call.status === "executing";
  const begun = isBegun ? { budgetUsd: null } : await begin(context, agent, { call, server });
  if (!("budgetUsd" in begun)) return begun.waiting;
  const startedAt = performance.now();
  const isRead = call.retrySafe && isReadOnly(tools, call);
  const { budgetUsd } = begun;
  const outcome = await sendUntilKnown(context, server.tools, { call, isRead, wasSent, budgetUsd });
  // It stays as it is: the worker that resumes the run sends it again.
  if (outcome === null) return { for: "stop" };
  const durationMs = Math.round(performance.now() - startedAt);
  return keepOutcome(context, agent, { call, outcome, wasSent, durationMs });
}

/** Null as `waiting`: the call has an outcome, or waits for people again. */
async function begin(
  context: RunContext,
  agent: AgentWithTools,
  { call, server }: { call: CallRow; server: KnownServer },
): Promise<{ budgetUsd: number | null } | { waiting: Waiting | null }> {
  const standing = findLapse(context, agent, call);
  if (standing.kind === "lapsed") return { waiting: await takeBack(context, agent, { call, lapse: standing }) };
  const limited = await waitForRate(context, server.tools);
  if (limited) return { waiting: limited };
  const begun = await beginCall(context, call, standing);
  if (begun.kind === "done") return { budgetUsd: standing.budgetUsd };
  await giveBackRate(context, server.tools);
  if (begun.why === "commits_lost") return { waiting: await askWhetherSent(context, call) };
  const recheckAt = () => new Date(context.deps.now().getTime() + PAUSED_RECHECK_MS);
  if (begun.why === "paused") return { waiting: { for: "time", until: recheckAt() } };
  const lapse = begun.why === "budget" ? begun : { why: begun.why };
  return { waiting: await takeBack(context, agent, { call, lapse }) };
}

interface Sending {
  call: CallRow;
  isRead: boolean;
  /** Whether a dead worker may have sent it. */
  wasSent: boolean;
  budgetUsd: number | null;
}

/**
 * A call without a usable answer is sent again only if that is harmless, a few times, each under its own commit: a
 * cancel or a pause ends it. Then a read fails, and anything else is left to a person. Null when this process is about
 * to end.
 */
async function sendUntilKnown(
  context: RunContext,
  server: ToolServer,
  sending: Sending,
): Promise<ToolCallOutcome | null> {
  const { memory, signal } = context;
  const { call, isRead, wasSent, budgetUsd } = sending;
  for (let sends = 1; ; sends += 1) {
    const outcome = judgeResend(await send(context, server, call), sends > 1 || wasSent);
    if (outcome.kind !== "unknown" || !call.retrySafe) return outcome;
    const end = () => (isRead ? failRead(call, outcome.reason, sends) : outcome);
    if (!outcome.retryable || sends >= SENDS_MAX || memory.failing) return end();
    if (signal.aborted) return null;
    await sleep(RESEND_BACKOFF_MS * 2 ** (sends - 1));
    // A resend counts like any other call; it does not wait for the next window, because its first answer is still
    // outstanding.
    if (await waitForRate(context, server)) return end();
    const begun = await beginCall(context, call, { budgetUsd });
    if (begun.kind === "refused") {
      await giveBackRate(context, server);
      return end();
    }
  }
}

/**
 * If a call was sent before, by a dead worker or a moment ago, then failing to send it now says nothing about that
 * outcome.
 */
function judgeResend(outcome: ToolCallOutcome, wasSent: boolean): ToolCallOutcome {
  if (outcome.kind !== "not_sent" || !wasSent) return outcome;
  const reason = `It was sent before, and what came of that is not known. Sent again, ${outcome.error.message}`;
  return { kind: "unknown", retryable: false, reason, error: new KimitsuError("tool_failed", reason) };
}

/** A read changes nothing, whatever became of it, so nobody has to check. */
function failRead(call: CallRow, reason: string, sends: number): ToolCallOutcome {
  const tries = sends === 1 ? "once" : `${sends} times`;
  return {
    kind: "answered",
    result: toErrorResult(
      `${call.server}.${call.tool} gave no answer that can be used, tried ${tries}: ${reason.replace(/\.$/, "")}.`,
    ),
  };
}

async function send({ deps, isFresh }: RunContext, server: ToolServer, call: CallRow): Promise<ToolCallOutcome> {
  await pause("dispatch-call:before-call", call.id);
  const request = {
    tool: call.tool,
    arguments: JSON.parse(call.argumentsCanonical) as Record<string, unknown>,
    fingerprint: call.definitionFingerprint,
    callId: call.id,
    mayBeSent: isFresh,
    isListReread: call.approval !== null,
  };
  const outcome = await followToolCall(call, () => callTool(deps.pool, server, request));
  await pause("dispatch-call:after-call", call.id);
  return outcome;
}

/** The database may have lost the record that it was sent: a person checks before it is sent. Also for webhooks. */
export async function askWhetherSent({ deps, writes }: RunContext, call: CallRow): Promise<null> {
  await writes.now({ kind: "call_unknown", at: deps.now().toISOString(), callId: call.id, isCommitLost: true });
  return null;
}

/** A call that a dead worker sent cannot be asked again as if it were new: a person says what became of it. */
async function takeBack(
  context: RunContext,
  agent: AgentWithTools,
  { call, lapse }: { call: CallRow; lapse: Lapse },
): Promise<null> {
  const { deps, memory, writes } = context;
  if (call.status !== "executing") await askAgain(context, agent, { call, lapse });
  else
    await writes.now({
      kind: "call_unknown",
      at: deps.now().toISOString(),
      callId: call.id,
      isCommitLost: memory.run.commitsLostAt !== null,
    });
  return null;
}

interface Sent {
  call: CallRow;
  outcome: ToolCallOutcome;
  wasSent: boolean;
  durationMs: number;
}

async function keepOutcome(
  context: RunContext,
  agent: AgentWithTools,
  { call, outcome, wasSent, durationMs }: Sent,
): Promise<Waiting | null> {
  const { deps, writes } = context;
  const refundUsd = outcome.kind === "not_sent" ? call.costUsd : 0;
  const revert = () =>
    writes.now({
      kind: "call_not_sent",
      at: deps.now().toISOString(),
      callId: call.id,
      begun: true,
      refundUsd,
      wait: null,
    });
  if (outcome.kind === "not_sent" && (outcome.reason === "definition_changed" || outcome.reason === "tool_missing")) {
    await revert();
    await askAgain(context, agent, { call, lapse: { why: "definition_changed" } });
    return null;
  }
  // This process was suspended, or too slow, for longer than its lease. If nobody else has the run it is claimed again,
  // with a valid lease.
  if (outcome.kind === "not_sent" && outcome.reason === "cancelled") {
    await revert();
    return { for: "time", until: deps.now() };
  }
  const server = agent.tools.servers.get(call.server);
  const kept = toKept(context, server, { call, outcome });
  if (outcome.kind === "not_sent" && outcome.retryable && !wasSent) {
    const waiting = await waitForServer(context, call, { message: kept.error?.message ?? "", refundUsd });
    if (waiting && server) await giveBackRate(context, server.tools);
    if (waiting) return waiting;
  }
  await writes.later({
    kind: "call_ended",
    at: deps.now().toISOString(),
    callId: call.id,
    durationMs,
    refundUsd,
    ...kept,
  });
  return null;
}

function toKept(
  context: RunContext,
  server: KnownServer | undefined,
  { call, outcome }: { call: CallRow; outcome: ToolCallOutcome },
) {
  const hidden = createSecretMatcher(
    listHidden(JSON.parse(call.argumentsCanonical), server?.definitions.get(call.tool)?.inputSchema),
  );
  const options = {
    fingerprint: context.deps.fingerprint,
    matcher: server ? joinMatchers(matchSecrets(server.tools), hidden) : hidden,
  };
  if (outcome.kind === "answered") {
    const failed = outcome.result.is_error;
    const error = failed ? { code: "tool_error", message: String(redact(outcome.result.error ?? "", options)) } : null;
    return {
      status: failed ? ("failed" as const) : ("succeeded" as const),
      result: redact(outcome.result, options),
      error,
    };
  }
  const message = redactText(outcome.error.message, options);
  if (outcome.kind === "not_sent")
    return { status: "failed" as const, result: null, error: { code: `not_sent_${outcome.reason}`, message } };
  return {
    status: "outcome_unknown" as const,
    result: outcome.result ? redact(outcome.result, options) : null,
    error: { code: "outcome_unknown", message },
  };
}

/** The server's own limit, counted across all processes. */
async function waitForRate({ deps }: RunContext, server: ToolServer): Promise<Waiting | null> {
  const limit = rateOf(server);
  if (!limit) return null;
  const taken = await takeThrottle(deps.db, limit, deps.now());
  return taken.allowed ? null : { for: "time", until: taken.until };
}

/** A call that was not made after all does not count. */
async function giveBackRate({ deps }: RunContext, server: ToolServer): Promise<void> {
  const limit = rateOf(server);
  if (limit) await giveBackThrottle(deps.db, limit.key);
}

function rateOf({ definition }: ToolServer): ThrottleLimit | null {
  const [count, per] = definition.rate_limit?.split("/") ?? [];
  if (count === undefined || per === undefined) return null;
  return {
    key: `rate:${definition.name}`,
    max: Number(count),
    windowMs: RATE_WINDOW_MS[per as keyof typeof RATE_WINDOW_MS],
  };
}
