/**
 * Asks one model until it answers, fails for good, or its tries are used up. A call is repeated only after it failed,
 * so at most one of them succeeds.
 */
import { chooseWaitMs } from "./backoff";
import { type Model, type ModelAttempt, ModelError, type ModelRequest, type ModelTurn } from "./model";
import { type Timing, withTimeout } from "./timing";

export interface AskOptions {
  retriesMax: number;
  timeoutMs: number;
  signal: AbortSignal;
  timing: Timing;
  /** Every call is added, failed ones too. */
  attempts: ModelAttempt[];
}

/** Rejects with the last ModelError, or with the signal's reason. */
export async function askModel(model: Model, request: ModelRequest, options: AskOptions): Promise<ModelTurn> {
  const { timing, signal, attempts } = options;
  const firstAttempt = request.metadata.attempt ?? 1;
  for (let failures = 0, waitedMs = 0; ; failures++) {
    const asked = { ...request, metadata: { ...request.metadata, attempt: firstAttempt + failures } };
    const startedAt = timing.now().getTime();
    const record = (outcome: ModelAttempt["outcome"], message: string | null) =>
      attempts.push({
        model: model.id,
        attempt: firstAttempt + failures,
        outcome,
        message,
        durationMs: timing.now().getTime() - startedAt,
        waitedMs,
      });
    try {
      const turn = await askOnce(model, asked, options);
      record("succeeded", null);
      return turn;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      record(error.kind, error.message);
      const wait =
        error.isTransient && failures < options.retriesMax
          ? chooseWaitMs({ failures: failures + 1, retryAfterMs: error.retryAfterMs, random: timing.random })
          : null;
      if (wait === null) throw error;
      waitedMs = wait;
      await timing.sleep(wait, signal);
    }
  }
}

function askOnce(model: Model, request: ModelRequest, { timeoutMs, signal, timing }: AskOptions): Promise<ModelTurn> {
  const onTimeout = () =>
    new ModelError(
      { kind: "timeout", model: model.id },
      `${model.id} gave no answer within ${timeoutMs / 1_000} s; \`timeout\` of the provider sets the limit.`,
    );
  return withTimeout({ timeoutMs, signal, timing, onTimeout }, (bounded) => model.generate(request, bounded));
}
