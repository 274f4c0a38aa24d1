/**
 * The gateway: agents name a model group, and get one turn from one of its models. Agents never know providers.
 *
 * What happens when a model fails: a failure that may pass is retried on the same model, then the next model is asked.
 * A failure of this model alone (its key, its credit, its address, its window) goes to the next model at once. A
 * request that is invalid goes to none: the others would hide the mistake. A refusal is an answer, and no other model
 * is asked.
 */
import type { Gateway as GatewayConfig, ModelGroup } from "@/lib/config/gateway-schema";
import { askModel } from "./ask-model";
import { describeGroupFailure, isOfThisModelOnly } from "./group-failure";
import { CALL_TIMEOUT_DEFAULT_MS, RETRIES_DEFAULT } from "./limits";
import type { ScriptFile } from "./load-scripts";
import { type Model, type ModelAttempt, ModelError, type ModelRequest, type ModelTurn, type Usage } from "./model";
import { orderModels } from "./order-models";
import { answerTokensWithin, costMicroUsd, estimateUsage, findPrice, toMicroUsd, toUsd } from "./price";
import type { FindVariable } from "./provider-config";
import { createProviderModel } from "./provider-model";
import { toRaw } from "./raw-turn";
import { createScriptedModel } from "./scripted-model";
import { sleep as sleepFor, type Timing, withTimeout } from "./timing";
import type { Fetch } from "./transport";

export interface GatewayOptions {
  gateway: GatewayConfig;
  /** From `loadScripts`: by the name of the provider. */
  scripts: ReadonlyMap<string, ScriptFile>;
  /** Read at the moment of a call, so that keys are not held before it. */
  findVariable: FindVariable;
  /** Every request to a provider goes through it. */
  fetch: Fetch;
  now: () => Date;
  random?: Timing["random"];
  sleep?: Timing["sleep"];
}

export interface GenerateOptions {
  signal: AbortSignal;
  /** Longest time of all tries together. */
  timeoutMs?: number;
}

export interface GatewayTurn {
  turn: ModelTurn;
  /** `provider/model-id` that answered. */
  model: string;
  usage: Usage;
  /** Rounded up to a millionth of a dollar. */
  costUsd: number;
  /** The same in whole millionths, to be added up without error. */
  costMicroUsd: number;
  /** False when the group has no price for the model, so that its cost counts as 0. */
  isPriced: boolean;
  /** Every call in order; the last one is the one that succeeded, and no other did. */
  attempts: ModelAttempt[];
  durationMs: number;
}

export interface ModelGateway {
  /**
   * Rejects with a ModelError that lists all attempts, or with the signal's reason. `isTransient` of it says whether
   * asking later can help.
   */
  generate(groupName: string, request: ModelRequest, options: GenerateOptions): Promise<GatewayTurn>;
  /** What the most expensive model of the group may cost for this request: to be reserved before the call. */
  estimateCostUsd(groupName: string, request: ModelRequest): number;
  /**
   * The most tokens that an answer may have, whichever model of the group gives it, for the turn to cost no more than
   * this.
   */
  answerTokensWithin(groupName: string, request: ModelRequest, usd: number): number;
}

export function createGateway(options: GatewayOptions): ModelGateway {
  const timing: Timing = { now: options.now, random: options.random ?? Math.random, sleep: options.sleep ?? sleepFor };
  const rounds = new Map<string, number>();
  // The start is random, so that many processes that start together do not all begin with the same model.
  const takeTurn = ({ name, models }: ModelGroup) => {
    const turn = rounds.get(name) ?? Math.floor(timing.random() * models.length);
    rounds.set(name, turn + 1);
    return turn;
  };
  const typeOf = (model: string) => findProvider(options.gateway, model)?.type ?? "openai-compatible";
  return {
    generate: async (groupName, request, { signal, timeoutMs }) => {
      signal.throwIfAborted();
      const group = getGroup(options.gateway, groupName);
      const filled = { ...request, temperature: request.temperature ?? group.default_temperature ?? null };
      const order = orderModels(group, filled, { takeTurn: () => takeTurn(group), typeOf });
      const attempts: ModelAttempt[] = [];
      const ask = (bounded: AbortSignal) =>
        askGroup({ options, timing, group, order, attempts, signal: bounded }, filled);
      if (timeoutMs === undefined) return ask(signal);
      const onTimeout = () =>
        new ModelError(
          { kind: "timeout", model: order[0]! },
          `The model group ${groupName} gave no answer within ${timeoutMs / 1_000} s.`,
          { attempts },
        );
      return withTimeout({ timeoutMs, signal, timing, onTimeout }, ask);
    },
    estimateCostUsd: (groupName, request) => {
      const group = getGroup(options.gateway, groupName);
      return toUsd(
        Math.max(
          ...group.models.map((model) => costMicroUsd(findPrice(group, model), estimateUsage(request, typeOf(model)))),
        ),
      );
    },
    answerTokensWithin: (groupName, request, usd) => {
      const group = getGroup(options.gateway, groupName);
      return Math.min(
        ...group.models.map((model) =>
          answerTokensWithin(findPrice(group, model), estimateUsage(request, typeOf(model)).tokensIn, toMicroUsd(usd)),
        ),
      );
    },
  };
}

interface AskGroup {
  options: GatewayOptions;
  timing: Timing;
  group: ModelGroup;
  order: readonly string[];
  attempts: ModelAttempt[];
  signal: AbortSignal;
}

async function askGroup(
  { options, timing, group, order, attempts, signal }: AskGroup,
  request: ModelRequest,
): Promise<GatewayTurn> {
  const startedAt = timing.now().getTime();
  const failures: ModelError[] = [];
  for (const id of order) {
    try {
      const { model, retriesMax, timeoutMs } = createModel(options, id);
      const turn = await askModel(model, request, { retriesMax, timeoutMs, signal, timing, attempts });
      return toGatewayTurn({ turn, group, id, attempts, durationMs: timing.now().getTime() - startedAt });
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      failures.push(error);
      if (!error.isTransient && !isOfThisModelOnly(error)) break;
    }
  }
  throw describeGroupFailure(group.name, failures, attempts);
}

function toGatewayTurn({
  turn,
  group,
  id,
  attempts,
  durationMs,
}: {
  turn: ModelTurn;
  group: ModelGroup;
  id: string;
  attempts: ModelAttempt[];
  durationMs: number;
}): GatewayTurn {
  const price = findPrice(group, id);
  const micro = costMicroUsd(price, turn.usage);
  // Which model answered is kept with the conversation, also for models that need nothing else back.
  const stamped = { ...turn, raw: turn.raw ?? toRaw({ model: id, parts: [] }) };
  return {
    turn: stamped,
    model: id,
    usage: turn.usage,
    costUsd: toUsd(micro),
    costMicroUsd: micro,
    isPriced: price !== null,
    attempts,
    durationMs,
  };
}

function getGroup(gateway: GatewayConfig, name: string): ModelGroup {
  const group = gateway.model_groups.find((candidate) => candidate.name === name);
  if (group) return group;
  const known = gateway.model_groups.map((candidate) => candidate.name).join(", ");
  throw new ModelError(
    { kind: "misconfigured", model: name },
    `There is no model group ${JSON.stringify(name)}; gateway.yaml has ${known}.`,
  );
}

function findProvider(gateway: GatewayConfig, id: string) {
  return gateway.providers.find((candidate) => candidate.name === id.slice(0, id.indexOf("/")));
}

function createModel(
  { gateway, scripts, findVariable, fetch, now }: GatewayOptions,
  id: string,
): { model: Model; retriesMax: number; timeoutMs: number } {
  const name = id.slice(0, id.indexOf("/"));
  const provider = findProvider(gateway, id);
  if (!provider)
    throw new ModelError(
      { kind: "misconfigured", model: id },
      `${id} cannot be asked: gateway.yaml has no provider ${JSON.stringify(name)}.`,
    );
  if (provider.type !== "scripted") {
    const model = createProviderModel({ id, provider, env: gateway.env, findVariable, fetch, now });
    return {
      model,
      retriesMax: provider.config.max_retries ?? RETRIES_DEFAULT,
      timeoutMs: provider.config.timeout ?? CALL_TIMEOUT_DEFAULT_MS,
    };
  }
  const script = scripts.get(name);
  if (!script)
    throw new ModelError(
      { kind: "misconfigured", model: id },
      `${id} cannot be asked: the script ${provider.config.script} is not loaded.`,
    );
  return {
    model: createScriptedModel({ id, ...script }),
    retriesMax: RETRIES_DEFAULT,
    timeoutMs: CALL_TIMEOUT_DEFAULT_MS,
  };
}
