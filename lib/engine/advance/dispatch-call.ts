/**
 * Sends one approved call, at most once: the grant is used up in the commit before the bytes leave, and what came of it is
 * committed after. What is no longer as it was judged is not sent but asked again.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { listHidden, redact, redactText } from "@/lib/domain/redaction";
import { createSecretMatcher, joinMatchers } from "@/lib/domain/secret-matcher";
import type { AgentAtWork, AgentTools } from "@/lib/engine/advance/agent-tools";
import { askAgain, type Lapse } from "@/lib/engine/advance/ask-again";
import { findLapse } from "@/lib/engine/advance/find-lapse";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held, LeaseLost } from "@/lib/engine/advance/run-memory";
import type { Waiting } from "@/lib/engine/advance/step-outcome";
import { waitForServer, waitOrGiveUp } from "@/lib/engine/advance/wait-for-server";
import { KimitsuError } from "@/lib/errors";
import { pause } from "@/lib/pause";
import type { CallRow } from "@/lib/store/queries/load-run";
import { beginExecuting, markUnknown, recordResult, unsend } from "@/lib/store/transitions/execute-call";
import { giveBackThrottle, takeThrottle, type ThrottleLimit } from "@/lib/store/transitions/take-throttle";
import { followToolCall } from "@/lib/telemetry/tell-step";
import { callTool, type ToolCallOutcome } from "@/lib/tools/call-tool";
import { matchSecrets, type ToolServer } from "@/lib/tools/tool-server";

/** How long to wait before looking again at a switch that someone has to turn. */
export const PAUSED_RECHECK_MS = 2_000;

/** How often a read-only or idempotent call is made before its outcome is left to a person, and the pause before the second time; it doubles. */
const SENDS_MAX = 3;
const RESEND_BACKOFF_MS = 200;

const RATE_WINDOW_MS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/** Null when the call has an outcome, or waits for people again; otherwise until when it has to wait. */
export async function dispatchCall(context: RunContext, work: AgentAtWork, tools: AgentTools, call: CallRow): Promise<Waiting | null> {
  const server = tools.servers.get(call.server);
  if (!server) throw new Error(`unreachable: call ${call.id} is for ${call.server}, which agent ${work.agent.name} does not have`);
  const { deps, memory, writes } = context;
  const away = server.reachable ? null : await waitOrGiveUp(context, call, `${call.server}.${call.tool} was not called: its server cannot be reached.`);
  if (away) return away.waiting;
  const standing = findLapse(context, work, tools, call);
  if (standing.kind === "lapsed") return takeBack(context, work, tools, call, standing);
  const execution = { ...call, budgetUsd: standing.budgetUsd };
  const limited = await waitForRate(context, server.tools);
  if (limited) return limited;
  const begun = await writes.now((db) => beginExecuting(db, memory.lease, execution, deps.now()));
  if (begun.kind === "lost") throw new LeaseLost("another process has this run now");
  if (begun.kind === "refused") {
    await giveBackRate(context, server.tools);
    if (begun.why === "paused") return { for: "time", until: new Date(deps.now().getTime() + PAUSED_RECHECK_MS) };
    return takeBack(context, work, tools, call, begun.why === "budget" ? begun : { why: begun.why });
  }
  memory.setCall(call.id, { status: "executing", epoch: memory.lease.epoch, error: null });
  memory.run.costUsd += call.costUsd;
  const startedAt = performance.now();
  const outcome = await sendUntilKnown(context, server.tools, execution);
  return keepOutcome(context, work, tools, call, outcome, Math.round(performance.now() - startedAt));
}

/** A call without an answer is made again only if that is harmless, a few times, each under a commit of its own: a cancel or a pause ends it. */
async function sendUntilKnown(context: RunContext, server: ToolServer, call: CallRow & { budgetUsd: number | null }): Promise<ToolCallOutcome> {
  const { deps, memory, signal, writes } = context;
  for (let sends = 1; ; sends += 1) {
    const outcome = await send(context, server, call);
    // It was sent before, by a worker that died or a moment ago: that it did not leave this time says nothing of what came of that.
    if (outcome.kind === "not_sent" && (sends > 1 || call.status === "executing")) return { kind: "unknown", error: new KimitsuError("tool_failed", `It was sent before, and what came of that is not known. Sent again, ${outcome.error.message}`) };
    if (outcome.kind !== "unknown" || !call.retrySafe || sends >= SENDS_MAX || signal.aborted || memory.failing) return outcome;
    await sleep(RESEND_BACKOFF_MS * 2 ** (sends - 1));
    // It counts like any other call; to wait for the next window with an answer outstanding would be to wait for nobody knows what.
    if (await waitForRate(context, server)) return outcome;
    const begun = await writes.now((db) => beginExecuting(db, memory.lease, { ...call, isResend: true }, deps.now()));
    if (begun.kind === "lost") throw new LeaseLost("another process has this run now");
    if (begun.kind === "refused") {
      await giveBackRate(context, server);
      return outcome;
    }
    memory.run.costUsd += call.costUsd;
  }
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

/** What was sent before by a worker that died cannot be asked again as if it were new: a person says what became of it. */
async function takeBack(context: RunContext, work: AgentAtWork, tools: AgentTools, call: CallRow, lapse: Lapse): Promise<null> {
  const { deps, memory, writes } = context;
  if (call.status !== "executing") await askAgain(context, work, tools, call, lapse);
  else {
    held(await writes.now((db) => markUnknown(db, memory.lease, call.id, deps.now())));
    memory.setCall(call.id, { status: "outcome_unknown" });
  }
  return null;
}

async function keepOutcome(context: RunContext, work: AgentAtWork, tools: AgentTools, call: CallRow, outcome: ToolCallOutcome, durationMs: number): Promise<Waiting | null> {
  const { deps, memory, writes } = context;
  const refundUsd = outcome.kind === "not_sent" ? call.costUsd : 0;
  memory.run.costUsd -= refundUsd;
  if (outcome.kind === "not_sent" && (outcome.reason === "definition_changed" || outcome.reason === "tool_missing")) {
    held(await writes.now((db) => unsend(db, memory.lease, { callId: call.id, refundUsd }, deps.now())));
    memory.setCall(call.id, { status: "approved" });
    await askAgain(context, work, tools, call, { why: "definition_changed" });
    return null;
  }
  // This process was stopped, or too slow, for longer than its lease. If nobody has taken the run it is taken up anew, with a lease that holds.
  if (outcome.kind === "not_sent" && outcome.reason === "cancelled") {
    held(await writes.now((db) => unsend(db, memory.lease, { callId: call.id, refundUsd }, deps.now())));
    memory.setCall(call.id, { status: "approved" });
    return { for: "time", until: deps.now() };
  }
  const kept = toKept(context, tools, call, outcome);
  if (outcome.kind === "not_sent" && outcome.retryable) {
    const waiting = await waitForServer(context, call, { message: kept.error?.message ?? "", refundUsd });
    const server = tools.servers.get(call.server);
    if (waiting && server) await giveBackRate(context, server.tools);
    if (waiting) return waiting;
  }
  await writes.later((db) => recordResult(db, memory.lease, { callId: call.id, durationMs, refundUsd, ...kept }, deps.now()));
  memory.setCall(call.id, kept);
  return null;
}

function toKept(context: RunContext, tools: AgentTools, call: CallRow, outcome: ToolCallOutcome) {
  const server = tools.servers.get(call.server);
  const hidden = createSecretMatcher(listHidden(JSON.parse(call.argumentsCanonical), server?.definitions.get(call.tool)?.inputSchema));
  const options = { fingerprint: context.deps.fingerprint, matcher: server ? joinMatchers(matchSecrets(server.tools), hidden) : hidden };
  if (outcome.kind === "answered") {
    const failed = outcome.result.is_error;
    const error = failed ? { code: "tool_error", message: String(redact(outcome.result.error ?? "", options)) } : null;
    return { status: failed ? ("failed" as const) : ("succeeded" as const), result: redact(outcome.result, options), error };
  }
  const error = { code: outcome.kind === "unknown" ? "outcome_unknown" : `not_sent_${outcome.reason}`, message: redactText(outcome.error.message, options) };
  return { status: outcome.kind === "unknown" ? ("outcome_unknown" as const) : ("failed" as const), result: null, error };
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
  return { key: `rate:${definition.name}`, max: Number(count), windowMs: RATE_WINDOW_MS[per as keyof typeof RATE_WINDOW_MS] };
}
