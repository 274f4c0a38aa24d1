/**
 * A webhook step: one HTTP request, recorded as a call, so that it is sent at most once, is unknown when nobody knows
 * its outcome, and a person can settle it. A connection that fails before anything was sent is retried, and so is a GET
 * without a usable answer; nothing else is.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { renderAddress } from "@/lib/config/render-address";
import { listSecrets, revealSecrets } from "@/lib/config/secret-ref";
import type { WebhookStep } from "@/lib/config/step-schema";
import { renderTemplate, TemplateError, type TemplateScope } from "@/lib/config/template";
import { digestArguments, canonicalizeArguments } from "@/lib/text/digest";
import { isRefusingStatus } from "@/lib/tools/rules/proves-nothing-happened";
import { redact, redactText } from "@/lib/text/redaction";
import { signRequest } from "@/lib/text/sign-request";
import { createSecretMatcher, joinMatchers } from "@/lib/text/secret-matcher";
import { mapText, storableText } from "@/lib/text/tool-text";
import { askWhetherSent, PAUSED_RECHECK_MS, RESEND_BACKOFF_MS, SENDS_MAX } from "@/lib/runs/advance/dispatch-call";
import type { RunContext } from "@/lib/runs/advance/run-context";
import { findOpenAddress } from "@/lib/runs/advance/find-open-address";
import { beginCall } from "@/lib/runs/advance/begin-call";
import { LeaseLost } from "@/lib/runs/journal/run-writer";
import { callOf } from "@/lib/runs/changes/move";
import type { StepOutcome } from "@/lib/runs/advance/step-outcome";
import { matchRunSecrets } from "@/lib/projects/known-secrets";
import { createId } from "@/lib/ids";
import { pause } from "@/lib/pause";
import type { CallRow, StepRow } from "@/lib/runs/snapshot";
import { recordTurn, type NewCall } from "@/lib/runs/changes/turn-recorded";
import { followWebhook } from "@/lib/telemetry/record-step";
import { isPassing } from "@/lib/tools/describe-failure";

export const WEBHOOK_SERVER = "kimitsu/webhook";
const TRIES = 3;
const BACKOFF_MS = 500;
const BODY_LENGTH_MAX = 64_000;
/** Read beyond the limit, so that a secret across the cut is found before the cut is made. */
const BODY_LENGTH_MARGIN = 16_000;

export async function runWebhook(
  context: RunContext,
  { row, step, scope }: { row: StepRow; step: WebhookStep; scope: TemplateScope },
): Promise<StepOutcome> {
  const { memory, deps } = context;
  const { url, headers, body = null, secret = null } = step.webhook;
  const { secret: key, ...filled } = renderTemplate({ headers, body, secret }, scope) as Omit<Rendered, "url">;
  const rendered = { url: renderAddress(url, scope), ...filled };
  const open = listSecrets(rendered).length > 0 ? findOpenAddress(url, scope) : null;
  if (open !== null)
    return {
      kind: "failed",
      error: {
        code: "webhook_refused",
        message: `The webhook was not sent: it carries a secret, and "${open}" would choose where it goes.`,
      },
    };
  const call = findCall(context, row.id) ?? (await addCall(context, row, { method: step.webhook.method, rendered }));
  if (call.status === "outcome_unknown") return { kind: "waiting", waiting: [{ for: "review" }] };
  if (
    call.status === "approved" ||
    (call.status === "executing" && call.retrySafe && (call.epoch ?? 0) < memory.lease.epoch)
  ) {
    const begun = await beginCall(context, call);
    if (begun.kind === "refused" && begun.why === "paused")
      return { kind: "waiting", waiting: [{ for: "time", until: new Date(deps.now().getTime() + PAUSED_RECHECK_MS) }] };
    if (begun.kind === "refused" && begun.why === "commits_lost") {
      await askWhetherSent(context, call);
      return { kind: "waiting", waiting: [{ for: "review" }] };
    }
    if (begun.kind === "refused")
      return {
        kind: "failed",
        error: {
          code: "webhook_refused",
          message: "The webhook was not sent: its record is not the one that was made for it.",
        },
      };
    const isEnded = await send(context, call, {
      method: step.webhook.method,
      timeoutS: step.webhook.timeout_s,
      ...rendered,
      secret: key,
    });
    // It stays as it is: the worker that resumes the run sends it again.
    if (!isEnded) return { kind: "waiting", waiting: [{ for: "stop" }] };
  }
  const ended = findCall(context, row.id);
  if (ended?.status === "succeeded") return { kind: "complete", output: ended.result };
  if (ended?.status === "outcome_unknown") return { kind: "waiting", waiting: [{ for: "review" }] };
  return {
    kind: "failed",
    error: {
      code: ended?.error?.code ?? "webhook_failed",
      message: ended?.error?.message ?? "The webhook was not sent.",
    },
  };
}

/** With secrets as references, until the moment of sending. */
interface Rendered {
  url: unknown;
  headers: unknown;
  body: unknown;
  secret: unknown;
}

interface Request extends Rendered {
  method: WebhookStep["webhook"]["method"];
  timeoutS: number;
}

function findCall({ memory }: RunContext, stepId: string): CallRow | undefined {
  return [...memory.calls.values()].find((call) => call.stepId === stepId && call.server === WEBHOOK_SERVER);
}

async function addCall(
  context: RunContext,
  row: StepRow,
  { method, rendered }: { method: string; rendered: unknown },
): Promise<CallRow> {
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
  const at = deps.now().toISOString();
  await context.writes.now(
    recordTurn(memory.snapshot, { at, stepId: row.id, turn: null, calls: [call], approvals: [], stepState: {} }),
  );
  return callOf(memory.snapshot, call.id);
}

/** False when this process is about to end, and the call has no outcome yet. */
async function send(context: RunContext, call: CallRow, { method, timeoutS, ...rendered }: Request): Promise<boolean> {
  const { deps, writes } = context;
  const { id: callId } = call;
  const startedAt = performance.now();
  const { url, ...rest } = rendered;
  const alone = listSecrets(url)
    .flatMap((secret) => secret.sources)
    .flatMap((source) => context.secrets(source) ?? []);
  const values = [...alone, ...listSecrets(rest).map((secret) => secret.reveal(context.secrets))];
  const options = {
    fingerprint: deps.fingerprint,
    matcher: joinMatchers(createSecretMatcher(values), matchRunSecrets(context)),
  };
  await pause("webhook:before-call", callId);
  const holdsSecret = listSecrets({ ...rendered, secret: null }).length > 0;
  const outcome = await sendUntilKnown(context, call, () =>
    followWebhook({ id: callId, method }, async () => {
      const revealed = reveal(context, rendered);
      return "status" in revealed
        ? revealed
        : request(context, { id: callId, method, timeoutS, holdsSecret, ...revealed }, (text) =>
            redactText(text, options),
          );
    }),
  );
  await pause("webhook:after-call", callId);
  if (outcome === null) return false;
  const kept = {
    ...outcome,
    result: redact(outcome.result, options),
    error: outcome.error && { code: outcome.error.code, message: String(redact(outcome.error.message, options)) },
  };
  const durationMs = Math.round(performance.now() - startedAt);
  await writes.later({ kind: "call_ended", at: deps.now().toISOString(), callId, durationMs, refundUsd: 0, ...kept });
  return true;
}

type Sent = {
  status: "succeeded" | "failed" | "outcome_unknown";
  result: unknown;
  error: { code: string; message: string } | null;
};

/**
 * A read without a usable answer is sent again, a few times, each under its own commit; then it fails, because it has
 * changed nothing.
 */
async function sendUntilKnown(context: RunContext, call: CallRow, work: () => Promise<Sent>): Promise<Sent | null> {
  const { memory, signal } = context;
  for (let sends = 1; ; sends += 1) {
    const outcome = await work();
    if (outcome.status !== "outcome_unknown" || !call.retrySafe) return outcome;
    const message = `${outcome.error?.message ?? ""} It was tried ${sends === 1 ? "once" : `${sends} times`}.`;
    const failed: Sent = { ...outcome, status: "failed", error: { code: "webhook_no_answer", message } };
    if (sends >= SENDS_MAX || memory.failing) return failed;
    if (signal.aborted) return null;
    await sleep(RESEND_BACKOFF_MS * 2 ** (sends - 1));
    const begun = await beginCall(context, call);
    if (begun.kind === "refused") return failed;
  }
}

interface Revealed extends Pick<Request, "method" | "timeoutS"> {
  /** Of the call: the same for every try, so that a receiver can recognise a repetition. */
  id: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  secret: string | null;
  /** Whether the request contains a secret; the signing key does not count, because only the signature is sent. */
  holdsSecret: boolean;
}

type RevealedParts = Pick<Revealed, "url" | "headers" | "body" | "secret">;

/** A secret that is not valid in its place is only found here, and then nothing is sent. */
function reveal(context: RunContext, rendered: Rendered): RevealedParts | Sent {
  try {
    return revealSecrets(rendered, context.secrets) as RevealedParts;
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return {
      status: "failed",
      result: null,
      error: { code: "webhook_refused", message: `The webhook was not sent: ${error.message}.` },
    };
  }
}

async function request(context: RunContext, sent: Revealed, hide: (text: string) => string): Promise<Sent> {
  const { method, timeoutS } = sent;
  const hasBody = method !== "GET" && sent.body !== null;
  const body = hasBody ? JSON.stringify(sent.body) : "";
  for (let attempt = 1; ; attempt += 1) {
    let isSent = false;
    try {
      const response = await context.deps.fetch(sent.url, {
        method,
        headers: {
          ...(hasBody ? { "content-type": "application/json" } : {}),
          ...sent.headers,
          ...(sent.secret === null ? {} : signRequest({ id: sent.id, at: context.deps.now(), body }, sent.secret)),
        },
        ...(hasBody ? { body } : {}),
        signal: AbortSignal.timeout(timeoutS * 1000),
        onSend: () => {
          if (!context.isFresh()) throw new LeaseLost("the lease has run out; another process may have this run");
          isSent = true;
        },
        // A used socket may be closed while the request is being written to it, and then the outcome is unknown.
        isFreshSocket: true,
        holdsSecret: sent.holdsSecret,
      });
      return await judgeResponse(response, hide);
    } catch (error) {
      if (error instanceof LeaseLost) throw error;
      const reason = describeReason(error as Error);
      if (isSent)
        return {
          status: "outcome_unknown",
          result: null,
          error: { code: "outcome_unknown", message: `The webhook gave no answer: ${reason}` },
        };
      if (attempt >= TRIES || !isPassing(error) || context.signal.aborted)
        return {
          status: "failed",
          result: null,
          error: { code: "webhook_unreachable", message: `The webhook was not sent: ${reason}` },
        };
      await sleep(BACKOFF_MS * 2 ** (attempt - 1));
    }
  }
}

/** The status is the answer; the body of a successful one is the step's output, and must be complete. */
async function judgeResponse(response: Response, hide: (text: string) => string): Promise<Sent> {
  const { status, ok } = response;
  const text = await readStart(response).catch((error: unknown) => {
    if (ok) throw error;
    return "";
  });
  const result = { status, body: parse(hide(text).slice(0, BODY_LENGTH_MAX)) };
  if (ok) return { status: "succeeded", result, error: null };
  if (isRefusingStatus(status))
    return { status: "failed", result, error: { code: "webhook_refused", message: `The webhook answered ${status}.` } };
  return {
    status: "outcome_unknown",
    result,
    error: {
      code: "outcome_unknown",
      message: `The webhook answered ${status}, which does not say whether it happened.`,
    },
  };
}

/** The platform's message for an invalid address names neither the field nor the remedy. */
function describeReason(error: Error): string {
  return (error as { code?: string }).code === "ERR_INVALID_URL"
    ? "its `url` is not an address that begins with https:// or http://"
    : error.message;
}

/** Little more than what is stored is read, so that an endless answer costs nothing. */
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
