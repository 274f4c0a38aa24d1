/**
 * A webhook step: one HTTP request, kept as a call, so that it is sent at most once, is unknown when nobody knows, and a person can
 * settle it. A connection that fails before anything was sent is tried again; nothing else is.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { listSecrets, revealSecrets } from "@/lib/config/secret-ref";
import type { WebhookStep } from "@/lib/config/step-schema";
import { renderTemplate, type TemplateScope } from "@/lib/config/template";
import { digestArguments, canonicalizeArguments } from "@/lib/domain/digest";
import { redact, redactText } from "@/lib/domain/redaction";
import { signRequest } from "@/lib/domain/sign-request";
import { createSecretMatcher, joinMatchers } from "@/lib/domain/secret-matcher";
import { mapText, storableText } from "@/lib/domain/tool-text";
import { PAUSED_RECHECK_MS } from "@/lib/engine/advance/dispatch-call";
import type { RunContext } from "@/lib/engine/advance/run-context";
import { held, LeaseLost } from "@/lib/engine/advance/run-memory";
import type { StepOutcome } from "@/lib/engine/advance/step-outcome";
import { matchRunSecrets } from "@/lib/engine/known-secrets";
import { createId } from "@/lib/ids";
import { pause } from "@/lib/pause";
import type { CallRow, StepRow } from "@/lib/store/queries/load-run";
import { beginExecuting, recordResult } from "@/lib/store/transitions/execute-call";
import { recordTurn, type NewCall } from "@/lib/store/transitions/record-turn";
import { followWebhook } from "@/lib/telemetry/tell-step";
import { isPassing } from "@/lib/tools/describe-failure";

export const WEBHOOK_SERVER = "kimitsu/webhook";
const TRIES = 3;
const BACKOFF_MS = 500;
const BODY_LENGTH_MAX = 64_000;
/** Read beyond that, so that a secret which stands across the cut is found before the cut is made. */
const BODY_LENGTH_MARGIN = 16_000;

export async function runWebhook(context: RunContext, row: StepRow, step: WebhookStep, scope: TemplateScope): Promise<StepOutcome> {
  const { memory, deps } = context;
  const { url, headers, body = null, secret = null } = step.webhook;
  const { secret: key, ...rendered } = renderTemplate({ url, headers, body, secret }, scope) as Rendered;
  const call = findCall(context, row.id) ?? (await addCall(context, row, step.webhook.method, rendered));
  if (call.status === "outcome_unknown") return { kind: "waiting", waiting: [{ for: "review" }] };
  if (call.status === "approved" || (call.status === "executing" && call.retrySafe && (call.epoch ?? 0) < memory.lease.epoch)) {
    const begun = await beginExecuting(deps.db, memory.lease, call, deps.now());
    if (begun.kind === "lost") throw new LeaseLost("another process has this run now");
    if (begun.kind === "refused" && begun.why === "paused") return { kind: "waiting", waiting: [{ for: "time", until: new Date(deps.now().getTime() + PAUSED_RECHECK_MS) }] };
    if (begun.kind === "refused") return { kind: "failed", error: { code: "webhook_refused", message: "The webhook was not sent: its record is not the one that was made for it." } };
    memory.setCall(call.id, { status: "executing", epoch: memory.lease.epoch });
    await send(context, call.id, step, { ...rendered, secret: key });
  }
  const ended = findCall(context, row.id);
  if (ended?.status === "succeeded") return { kind: "complete", output: ended.result };
  if (ended?.status === "outcome_unknown") return { kind: "waiting", waiting: [{ for: "review" }] };
  return { kind: "failed", error: { code: ended?.error?.code ?? "webhook_failed", message: ended?.error?.message ?? "The webhook was not sent." } };
}

/** With secrets as references, until the moment of sending. */
interface Rendered {
  url: unknown;
  headers: unknown;
  body: unknown;
  secret: unknown;
}

function findCall({ memory }: RunContext, stepId: string): CallRow | undefined {
  return [...memory.calls.values()].find((call) => call.stepId === stepId && call.server === WEBHOOK_SERVER);
}

async function addCall(context: RunContext, row: StepRow, method: string, rendered: unknown): Promise<CallRow> {
  const { memory, deps } = context;
  const shown = redact(rendered, { fingerprint: deps.fingerprint }) as Record<string, unknown>;
  const call: NewCall = {
    id: createId("call"),
    turnId: null,
    stepId: row.id,
    parentCallId: null,
    modelCallId: null,
    agent: "",
    server: WEBHOOK_SERVER,
    tool: method,
    status: "approved",
    danger: method === "GET" ? "safe" : "medium",
    arguments: shown,
    argumentsCanonical: canonicalizeArguments(shown),
    digest: digestArguments(shown),
    definitionFingerprint: null,
    policyHash: context.loaded.project.hash,
    trace: [{ layer: "allowlist", outcome: "allow", reason: "a webhook that the workflow's own file states" }],
    agentSays: null,
    summary: `${method} webhook`,
    retrySafe: method === "GET",
    costUsd: 0,
    result: null,
    error: null,
  };
  held(await context.writes.now((db) => recordTurn(db, memory.lease, { turn: null, calls: [call], approvals: [], stepId: row.id, stepState: {} }, deps.now())));
  const kept: CallRow = { ...call, status: "approved", epoch: null, error: null, approval: null };
  memory.addCall(kept);
  return kept;
}

async function send(context: RunContext, callId: string, step: WebhookStep, rendered: Rendered): Promise<void> {
  const { memory, deps, writes } = context;
  const startedAt = performance.now();
  const values = listSecrets(rendered).map((secret) => secret.reveal(context.secrets));
  const options = { fingerprint: deps.fingerprint, matcher: joinMatchers(createSecretMatcher(values), matchRunSecrets(context)) };
  await pause("webhook:before-call", callId);
  const holdsSecret = listSecrets({ ...rendered, secret: null }).length > 0;
  const sent = { id: callId, holdsSecret, ...(revealSecrets(rendered, context.secrets) as Omit<Revealed, "id" | "holdsSecret">) };
  const outcome = await followWebhook({ id: callId, method: step.webhook.method }, () => request(context, step, sent, (text) => redactText(text, options)));
  await pause("webhook:after-call", callId);
  const kept = { ...outcome, result: redact(outcome.result, options), error: outcome.error && { code: outcome.error.code, message: String(redact(outcome.error.message, options)) } };
  await writes.later((db) => recordResult(db, memory.lease, { callId, durationMs: Math.round(performance.now() - startedAt), ...kept }, deps.now()));
  memory.setCall(callId, kept);
}

type Sent = { status: "succeeded" | "failed" | "outcome_unknown"; result: unknown; error: { code: string; message: string } | null };

interface Revealed {
  /** Of the call: the same for every try, so that whoever receives it twice can tell. */
  id: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  secret: string | null;
  /** The one above is not sent, only what it signs. */
  holdsSecret: boolean;
}

async function request(context: RunContext, step: WebhookStep, sent: Revealed, hide: (text: string) => string): Promise<Sent> {
  const { method, timeout_s: timeoutS } = step.webhook;
  const hasBody = method !== "GET" && sent.body !== null;
  const body = hasBody ? JSON.stringify(sent.body) : "";
  for (let attempt = 1; ; attempt += 1) {
    let isSent = false;
    try {
      const response = await context.deps.fetch(sent.url, {
        method,
        headers: {
          ...(hasBody ? { "content-type": "application/json" } : {}), ...sent.headers,
          ...(sent.secret === null ? {} : signRequest({ id: sent.id, at: context.deps.now(), body }, sent.secret)),
        },
        ...(hasBody ? { body } : {}),
        signal: AbortSignal.timeout(timeoutS * 1000),
        onSend: () => {
          if (!context.isFresh()) throw new LeaseLost("the lease has run out; another process may have this run");
          isSent = true;
        },
        // A used socket may be closed in the moment in which the request is written to it, and then nobody knows.
        isFreshSocket: true,
        holdsSecret: sent.holdsSecret,
      });
      const text = hide(await readStart(response)).slice(0, BODY_LENGTH_MAX);
      const result = { status: response.status, body: parse(text) };
      if (response.ok) return { status: "succeeded", result, error: null };
      return { status: "failed", result, error: { code: "webhook_refused", message: `The webhook answered ${response.status}.` } };
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      const reason = describeReason(error as Error);
      if (isSent) return { status: "outcome_unknown", result: null, error: { code: "outcome_unknown", message: `The webhook gave no answer: ${reason}` } };
      if (attempt >= TRIES || !isPassing(error) || context.signal.aborted) return { status: "failed", result: null, error: { code: "webhook_unreachable", message: `The webhook was not sent: ${reason}` } };
      await sleep(BACKOFF_MS * 2 ** (attempt - 1));
    }
  }
}

/** The platform's word for an address that is none names neither the field nor the remedy. */
function describeReason(error: Error): string {
  return (error as { code?: string }).code === "ERR_INVALID_URL" ? "its `url` is not an address that begins with https:// or http://" : error.message;
}

/** Little more than is kept is read, so that an answer without end costs nothing. */
async function readStart(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of (response.body ?? []) as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(piece, { stream: true });
    if (text.length >= BODY_LENGTH_MAX + BODY_LENGTH_MARGIN) break;
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return mapText(JSON.parse(text), storableText);
  } catch {
    return storableText(text);
  }
}
