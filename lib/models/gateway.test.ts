import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  anthropicAnswer,
  anthropicBody,
  anthropicFailure,
  startAnthropicServer,
} from "@/lib/testing/provider-servers/anthropic-server";
import {
  anthropicProvider,
  createGatewayFixture,
  type FixtureOptions,
  modelRequest,
  openAIProvider,
} from "@/lib/testing/provider-servers/gateway-fixture";
import {
  openAIAnswer,
  openAIFailure,
  outputText,
  startOpenAIServer,
} from "@/lib/testing/provider-servers/openai-server";
import type { ProviderServer, Reply } from "@/lib/testing/provider-servers/provider-server";
import { RETRY_AFTER_WAIT_MAX_MS } from "./limits";
import { ModelError } from "./model";

const { signal } = new AbortController();
const ANSWER = anthropicAnswer({ content: [{ type: "text", text: "fine" }] });
const SECOND = openAIAnswer({ output: [outputText("second")] });

let first: ProviderServer;
let second: ProviderServer;
beforeEach(async () => {
  first = await startAnthropicServer();
  second = await startOpenAIServer();
});
afterEach(() => Promise.all([first.close(), second.close()]));

/** Anthropic before OpenAI by default. */
function fixture({
  config = {},
  group = {},
  ...rest
}: { config?: Record<string, unknown>; group?: Record<string, unknown> } & Partial<
  Omit<FixtureOptions, "group">
> = {}) {
  const providers = [anthropicProvider(first.url, config), openAIProvider(second.url)];
  return createGatewayFixture({
    providers,
    ...rest,
    group: { models: ["anthropic/claude-haiku-4-5", "openai/gpt-4.1-mini"], ...group },
  });
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error as ModelError,
  );

describe("a failure that may pass", () => {
  const failures: [string, Reply, string][] = [
    ["429", anthropicFailure(429, "rate_limit_error", "Slow down"), "rate_limited"],
    ["529", anthropicFailure(529, "overloaded_error", "Overloaded"), "overloaded"],
    ["500", anthropicFailure(500, "api_error", "Internal"), "overloaded"],
    ["408", anthropicFailure(408, "timeout_error", "Timeout"), "overloaded"],
    ["409", anthropicFailure(409, "conflict_error", "Lock"), "overloaded"],
    ["the page of a proxy", { kind: "text", status: 502, text: "<html>Bad gateway</html>" }, "overloaded"],
    ["a connection closed without an answer", { kind: "reset" }, "unreachable"],
    [
      "a connection cut in the middle of an answer",
      { kind: "cut", body: anthropicBody({ content: [{ type: "text", text: "fine" }] }) },
      "unreachable",
    ],
    ["an answer that is no JSON", { kind: "text", status: 200, text: "<html>" }, "malformed"],
    ["an answer of another form", { kind: "json", status: 200, body: { hello: "world" } }, "malformed"],
  ];

  test.each(failures)("%s is asked again until it answers, and one call succeeds", async (_case, failure, outcome) => {
    first.reply(failure, failure, ANSWER);
    const { gateway, clock } = fixture();
    const result = await gateway.generate("standard", modelRequest(), { signal });
    expect(result.turn.text).toBe("fine");
    expect(result.attempts.map((attempt) => attempt.outcome)).toEqual([outcome, outcome, "succeeded"]);
    expect(result.attempts.map((attempt) => attempt.attempt)).toEqual([1, 2, 3]);
    expect(first.requests).toHaveLength(3);
    expect(second.requests).toHaveLength(0);
    expect(clock.waits).toEqual([375, 750]);
  });

  test("goes to the next model when the tries are used up", async () => {
    first.reply(...Array.from({ length: 3 }, () => anthropicFailure(529, "overloaded_error", "Overloaded")));
    second.reply(SECOND);
    const { turn, model, attempts } = await fixture().gateway.generate("standard", modelRequest(), { signal });
    expect({ text: turn.text, model }).toEqual({ text: "second", model: "openai/gpt-4.1-mini" });
    expect(attempts.map(({ model, outcome, waitedMs }) => [model, outcome, waitedMs])).toEqual([
      ["anthropic/claude-haiku-4-5", "overloaded", 0],
      ["anthropic/claude-haiku-4-5", "overloaded", 375],
      ["anthropic/claude-haiku-4-5", "overloaded", 750],
      ["openai/gpt-4.1-mini", "succeeded", 0],
    ]);
    expect([first.requests.length, second.requests.length]).toEqual([3, 1]);
  });

  test("is not retried when the provider's `max_retries` is 0", async () => {
    first.reply(anthropicFailure(500, "api_error", "x"));
    second.reply(SECOND);
    await fixture({ config: { max_retries: 0 } }).gateway.generate("standard", modelRequest(), { signal });
    expect([first.requests.length, second.requests.length]).toEqual([1, 1]);
  });

  test("a server that does not listen is tried, then the next model", async () => {
    await first.close();
    second.reply(SECOND);
    const { attempts } = await fixture().gateway.generate("standard", modelRequest(), { signal });
    expect(attempts[0]).toMatchObject({
      outcome: "unreachable",
      message: "anthropic/claude-haiku-4-5 cannot be reached: the connection was refused (ECONNREFUSED).",
    });
    expect(attempts).toHaveLength(4);
    first = await startAnthropicServer();
  });
});

describe("Retry-After", () => {
  test.each([
    ["seconds", { "retry-after": "7" }, 7_000],
    ["milliseconds", { "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    ["a date", { "retry-after": "Thu, 01 Jan 2026 00:00:03 GMT" }, 3_000],
    ["less than the backoff", { "retry-after": "0" }, 375],
    ["nonsense", { "retry-after": "soon" }, 375],
  ])("given as %s is waited for", async (_case, headers, waitMs) => {
    first.reply(anthropicFailure(429, "rate_limit_error", "Slow down", headers), ANSWER);
    const { gateway, clock } = fixture();
    await gateway.generate("standard", modelRequest(), { signal });
    expect(clock.waits).toEqual([waitMs]);
  });

  test("that is too long goes to the next model at once", async () => {
    first.reply(anthropicFailure(429, "rate_limit_error", "x", { "retry-after": "3600" }));
    second.reply(SECOND);
    const { gateway, clock } = fixture();
    expect((await gateway.generate("standard", modelRequest(), { signal })).turn.text).toBe("second");
    expect(clock.waits).toEqual([]);
  });

  test("of the model that is ready first is in the error when no model is left", async () => {
    const wait = (s: number) => ({ "retry-after": String(s) });
    first.reply(anthropicFailure(429, "rate_limit_error", "x", wait(3_600)));
    second.reply(openAIFailure(429, "rate_limit_exceeded", "y", wait(60)));
    const error = await failureOf(fixture().gateway.generate("standard", modelRequest(), { signal }));
    expect(error).toMatchObject({ kind: "rate_limited", isTransient: true, retryAfterMs: 60_000 });
    expect(60_000).toBeGreaterThan(RETRY_AFTER_WAIT_MAX_MS);
  });
});

describe("a failure that will not pass", () => {
  test.each<[string, Reply, string]>([
    ["a key that is not accepted", anthropicFailure(401, "authentication_error", "invalid x-api-key"), "unauthorized"],
    ["a model that the key may not use", anthropicFailure(403, "permission_error", "no"), "unauthorized"],
    ["a model that does not exist", anthropicFailure(404, "not_found_error", "model: claude"), "not_found"],
    ["no credit", anthropicFailure(400, "invalid_request_error", "Your credit balance is too low"), "no_credit"],
    [
      "a conversation that is too long",
      anthropicFailure(400, "invalid_request_error", "prompt is too long: 300000 tokens > 200000 maximum"),
      "context_too_long",
    ],
    ["a request that is too large", anthropicFailure(413, "request_too_large", "x"), "context_too_long"],
    ["an answer without end", { kind: "endless" }, "too_large"],
    [
      "a redirect",
      { kind: "text", status: 307, headers: { location: "http://127.0.0.1:9/v1/messages" }, text: "" },
      "misconfigured",
    ],
  ])("%s is asked once and goes to the next model", async (_case, failure, outcome) => {
    first.reply(failure);
    second.reply(SECOND);
    const { turn, attempts } = await fixture().gateway.generate("standard", modelRequest(), { signal });
    expect(turn.text).toBe("second");
    expect(attempts.map((attempt) => attempt.outcome)).toEqual([outcome, "succeeded"]);
    expect(first.requests).toHaveLength(1);
  });

  test("a quota that is used up is not waited for, although it comes as 429", async () => {
    second.reply(openAIFailure(429, "insufficient_quota", "You exceeded your current quota"));
    const error = await failureOf(
      fixture({ group: { models: ["openai/gpt-4.1-mini"] } }).gateway.generate("standard", modelRequest(), { signal }),
    );
    expect(error).toMatchObject({ kind: "no_credit", isTransient: false });
    expect(second.requests).toHaveLength(1);
  });

  test("an invalid request is sent to no other model, which would hide the mistake", async () => {
    first.reply(anthropicFailure(400, "invalid_request_error", "tools.0.input_schema: JSON schema is invalid"));
    const error = await failureOf(fixture().gateway.generate("standard", modelRequest(), { signal }));
    expect(error).toMatchObject({ kind: "invalid_request", isTransient: false, code: "model_failed" });
    expect(error.message).toBe(
      "anthropic/claude-haiku-4-5 answered 400 (invalid_request_error): tools.0.input_schema: JSON schema is invalid.",
    );
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });

  test("a refusal is an answer, and no other model is asked", async () => {
    first.reply(anthropicAnswer({ content: [{ type: "text", text: "No." }], stop_reason: "refusal" }));
    const { turn, attempts } = await fixture().gateway.generate("standard", modelRequest(), { signal });
    expect(turn.finishReason).toBe("refused");
    expect(attempts).toHaveLength(1);
    expect(second.requests).toHaveLength(0);
  });

  test("every model's failure is in the error when none answers, and one that may pass decides", async () => {
    first.reply(...Array.from({ length: 3 }, () => anthropicFailure(529, "overloaded_error", "Overloaded")));
    second.reply(openAIFailure(401, "invalid_api_key", "Incorrect API key provided"));
    const error = await failureOf(fixture().gateway.generate("standard", modelRequest(), { signal }));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ kind: "overloaded", isTransient: true, model: "anthropic/claude-haiku-4-5" });
    expect(error.message).toBe(
      "No model of the group standard answered. anthropic/claude-haiku-4-5 answered 529 (overloaded_error): Overloaded. Tried 3 times. " +
        "openai/gpt-4.1-mini answered 401 (invalid_api_key): the key was not accepted or may not use this model; check `api_key` of the provider in gateway.yaml.",
    );
    expect(error.attempts).toHaveLength(4);
  });
});

describe("what gateway.yaml leaves open until a call", () => {
  test("a variable without a value is named, and the next model is asked", async () => {
    second.reply(SECOND);
    const { attempts } = await fixture({ variables: { ANTHROPIC_KEY: null } }).gateway.generate(
      "standard",
      modelRequest(),
      { signal },
    );
    expect(attempts[0]).toMatchObject({
      outcome: "misconfigured",
      message: expect.stringContaining("the variable ANTHROPIC_KEY of gateway.yaml has no value"),
    });
  });

  test.each([
    ["a key with a line break", { ANTHROPIC_KEY: "sk-ant-a\nb" }, {}, /`api_key` is empty or has characters/],
    [
      "a path that climbs",
      { TRACE: "../admin" },
      { base_url: "https://x.example/{{ env.TRACE }}/v1" },
      /"env.TRACE" would lead to another path/,
    ],
    [
      "an address that is none",
      { TRACE: "mcp.internal/x" },
      { base_url: "{{ env.TRACE }}" },
      /`base_url` is not an address/,
    ],
  ])("%s is refused without being shown", async (_case, variables, config, message) => {
    const { gateway } = fixture({ variables, config, group: { models: ["anthropic/m"] } });
    const error = await failureOf(gateway.generate("standard", modelRequest(), { signal }));
    expect(error).toMatchObject({ kind: "misconfigured", message: expect.stringMatching(message) });
    for (const value of Object.values(variables)) expect(error.message).not.toContain(value);
    expect(first.requests).toHaveLength(0);
  });

  test("a group that does not exist is refused with those that do", async () => {
    const error = await failureOf(fixture().gateway.generate("stnadard", modelRequest(), { signal }));
    expect(error.message).toBe('There is no model group "stnadard"; gateway.yaml has standard.');
  });
});

describe("time", () => {
  test("a call that takes too long is ended and asked again", async () => {
    first.reply({ kind: "hang" }, ANSWER);
    const { gateway, clock } = fixture({ config: { timeout: "30s" } });
    const result = gateway.generate("standard", modelRequest(), { signal });
    await first.received(1);
    clock.advance(30_000);
    expect((await result).attempts).toMatchObject([
      { outcome: "timeout", durationMs: 30_000 },
      { outcome: "succeeded" },
    ]);
  });

  test("the limit of the whole turn ends every try", async () => {
    first.reply({ kind: "hang" });
    const { gateway, clock } = fixture();
    const result = failureOf(gateway.generate("standard", modelRequest(), { signal, timeoutMs: 60_000 }));
    await first.received(1);
    clock.advance(60_000);
    expect(await result).toMatchObject({
      kind: "timeout",
      isTransient: true,
      message: "The model group standard gave no answer within 60 s.",
    });
    expect(second.requests).toHaveLength(0);
  });

  test("an abort ends the call at once, with the caller's reason, and no other model is asked", async () => {
    first.reply({ kind: "hang" });
    const control = new AbortController();
    const reason = new Error("the run was cancelled");
    const result = failureOf(fixture().gateway.generate("standard", modelRequest(), { signal: control.signal }));
    await first.received(1);
    control.abort(reason);
    expect(await result).toBe(reason);
    expect(await failureOf(fixture().gateway.generate("standard", modelRequest(), { signal: control.signal }))).toBe(
      reason,
    );
    expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
  });
});
