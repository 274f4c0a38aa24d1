import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { anthropicAnswer, startAnthropicServer } from "@/lib/testing/provider-servers/anthropic-server";
import { chatAnswer, startChatServer } from "@/lib/testing/provider-servers/chat-server";
import {
  anthropicProvider,
  createGatewayFixture,
  KEYS,
  localProvider,
  modelRequest,
} from "@/lib/testing/provider-servers/gateway-fixture";
import type { ProviderServer } from "@/lib/testing/provider-servers/provider-server";
import { createEgress } from "@/lib/tools/egress";
import type { ModelError } from "./model";
import type { Fetch } from "./transport";

const { signal } = new AbortController();
const PROMPT = 'Card 4111 1111 1111 1111\nof Mrs. Ōta, "blue" file';
/** In the JSON that is sent, no twelve characters of it are adjacent without an escape. */
const QUOTED = '"name"\n"Jane"\n"Roe"\n"code"\n"8812"';
const request = modelRequest({
  system: "House rules of Acme",
  messages: [
    { role: "user", text: PROMPT },
    { role: "user", text: QUOTED },
  ],
});

let server: ProviderServer;
let chat: ProviderServer;
beforeEach(async () => {
  server = await startAnthropicServer();
  chat = await startChatServer();
});
afterEach(() => Promise.all([server.close(), chat.close()]));

const headers = { "X-Trace": "{{ env.TRACE }}" };

function failure(options: { isLocal?: boolean; fetch?: Fetch } = {}): Promise<ModelError> {
  const providers = [
    anthropicProvider(server.url, { headers, max_retries: 1 }),
    localProvider(chat.url, { headers, max_retries: 1 }),
  ];
  const { gateway } = createGatewayFixture({
    providers,
    group: { models: [options.isLocal ? "local/m" : "anthropic/claude-haiku-4-5"] },
    ...(options.fetch && { fetch: options.fetch }),
  });
  return gateway.generate("standard", request, { signal }).then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error as ModelError,
  );
}

/** Everything that a log, a row or a page could contain. */
function printAll(error: ModelError): string {
  const own = inspect(error, { depth: 20, showHidden: true, getters: true });
  return [
    own,
    JSON.stringify(error),
    JSON.stringify(error.attempts),
    JSON.stringify(error.details),
    error.message,
    error.stack,
  ].join("\n");
}

function expectClean(error: ModelError): void {
  const all = printAll(error);
  for (const key of Object.values(KEYS)) {
    for (const form of [key, encodeURIComponent(key), Buffer.from(key).toString("base64"), key.slice(-8)])
      expect(all).not.toContain(form);
  }
  for (const part of ["4111 1111", "Mrs. Ōta", "House rules", "Jane", "8812"]) expect(all).not.toContain(part);
}

describe("no key, header or part of the request is in an error", () => {
  test.each([400, 401, 403, 404, 413, 422, 429, 500])(
    "when the provider echoes all of them with %s",
    async (status) => {
      for (const target of [server, chat]) target.reply({ kind: "echo", status }, { kind: "echo", status });
      expectClean(await failure());
      expectClean(await failure({ isLocal: true }));
      // The server did see them, so there was something to hide.
      expect(JSON.stringify(server.requests)).toContain(KEYS.ANTHROPIC_KEY);
    },
  );

  test.each<[string, string]>([
    ["shortened", `Incorrect API key provided: ${KEYS.LOCAL_KEY.slice(0, 4)}********${KEYS.LOCAL_KEY.slice(-8)}.`],
    ["in Base64", `Basic auth ${Buffer.from(KEYS.LOCAL_KEY).toString("base64")} is wrong`],
    ["encoded for an address", `see https://x/?key=${encodeURIComponent(KEYS.LOCAL_KEY)}`],
    ["with escapes that JSON puts between its parts", `bad prompt: ${QUOTED}`],
    ["in two pieces of text", `bad prompt "${PROMPT.slice(0, 20)}" and "${PROMPT.slice(5, 40)}"`],
    [
      "as JSON inside of JSON",
      JSON.stringify(JSON.stringify({ authorization: `Bearer ${KEYS.LOCAL_KEY}`, text: PROMPT })),
    ],
  ])("when the echo is %s", async (_case, message) => {
    chat.reply({ kind: "json", status: 400, body: { error: { message, type: "invalid_request_error" } } });
    expectClean(await failure({ isLocal: true }));
  });

  test("when a refusal of the key quotes its last letters", async () => {
    chat.reply({
      kind: "json",
      status: 401,
      body: {
        error: { message: `The key that ends in ${KEYS.LOCAL_KEY.slice(-8)} is not known`, code: "invalid_api_key" },
      },
    });
    expectClean(await failure({ isLocal: true }));
  });

  test("when an answer has a form that the SDK complains about, quoting it", async () => {
    const body = {
      id: "x",
      choices: [{ message: { role: "assistant", content: { echoed: PROMPT, key: KEYS.LOCAL_KEY } } }],
    };
    chat.reply({ kind: "json", status: 200, body }, { kind: "json", status: 200, body });
    const error = await failure({ isLocal: true });
    expect(error.kind).toBe("malformed");
    expectClean(error);
  });

  test("when the connection fails with an error that holds the address", async () => {
    const broken = () =>
      Promise.reject(
        new TypeError("fetch failed", {
          cause: new Error(`connect to https://user:${KEYS.ANTHROPIC_KEY}@host failed`),
        }),
      );
    const error = await failure({ fetch: broken });
    expect(error.kind).toBe("unreachable");
    expectClean(error);
  });
});

test("what the provider says without quoting the request is kept, in one line", async () => {
  chat.reply({
    kind: "json",
    status: 400,
    body: {
      error: {
        message: "temperature: must be\n at most 1; you asked about 'Card 4111 1111 1111 1111' ",
        type: "invalid_request_error",
      },
    },
  });
  expect((await failure({ isLocal: true })).message).toBe(
    "local/m answered 400 (invalid_request_error): temperature: must be at most 1; you asked about '[request]'.",
  );
});

test("keys are not sent to the address of a redirect", async () => {
  const other = await startAnthropicServer();
  other.reply(anthropicAnswer({ content: [{ type: "text", text: "stolen" }] }));
  server.reply({ kind: "text", status: 307, headers: { location: `${other.url}/v1/messages` }, text: "" });
  expect(await failure()).toMatchObject({
    kind: "misconfigured",
    message: expect.stringContaining("redirects are not followed"),
  });
  expect(other.requests).toHaveLength(0);
  await other.close();
});

describe("through the guard of outgoing requests", () => {
  test("an address that the deployment allows answers", async () => {
    const egress = createEgress({ allowHosts: ["127.0.0.1"] });
    chat.reply(chatAnswer({ content: "fine" }));
    const { gateway } = createGatewayFixture({
      providers: [localProvider(chat.url)],
      group: { models: ["local/m"] },
      fetch: egress.guardedFetch,
    });
    expect((await gateway.generate("standard", request, { signal })).turn.text).toBe("fine");
    await egress.close();
  });

  test("a key does not go to a public host over plain http", async () => {
    const egress = createEgress({ allowHosts: ["127.0.0.1"] });
    const { gateway } = createGatewayFixture({
      providers: [localProvider("http://models.invalid")],
      group: { models: ["local/m"] },
      fetch: egress.guardedFetch,
    });
    await expect(gateway.generate("standard", request, { signal })).rejects.toMatchObject({
      kind: "misconfigured",
      isTransient: false,
      message: expect.stringContaining("over plain http"),
    });
    await egress.close();
  });

  test("an address that the deployment forbids is refused once, with the guard's own message", async () => {
    const egress = createEgress({ allowHosts: [] });
    const error = await failure({ fetch: egress.guardedFetch });
    expect(error).toMatchObject({
      kind: "misconfigured",
      isTransient: false,
      message: expect.stringMatching(/cannot be asked: 127\.0\.0\.1.* KIMITSU_ALLOW_HOSTS/),
    });
    expect(error.attempts).toHaveLength(1);
    expect(server.requests).toHaveLength(0);
    await egress.close();
  });
});

test("variables of the process that gateway.yaml does not declare change nothing", async () => {
  for (const name of ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL"]) vi.stubEnv(name, server.url);
  for (const name of ["ANTHROPIC_API_KEY", "OPENAI_API_KEY"]) vi.stubEnv(name, "sk-stray");
  const seen: { url: string; headers: string }[] = [];
  const watch: Fetch = (input, init) => {
    seen.push({ url: String(input), headers: JSON.stringify([...new Headers(init?.headers)]) });
    return Promise.resolve(new Response("{}", { status: 400 }));
  };
  try {
    for (const [name, key] of [
      ["anthropic", "ANTHROPIC_KEY"],
      ["openai", "OPENAI_KEY"],
    ] as const) {
      const { gateway } = createGatewayFixture({
        providers: [{ name, type: name, config: { api_key: `{{ env.${key} }}` } }],
        group: { models: [`${name}/m`] },
        fetch: watch,
      });
      await expect(gateway.generate("standard", request, { signal })).rejects.toThrow("answered 400");
    }
  } finally {
    vi.unstubAllEnvs();
  }
  expect(seen.map(({ url }) => url)).toEqual([
    "https://api.anthropic.com/v1/messages",
    "https://api.openai.com/v1/responses",
  ]);
  expect(JSON.stringify(seen)).not.toContain("sk-stray");
});

test("a key is read again for each call, and only for the model that is asked", async () => {
  const read: string[] = [];
  chat.reply(chatAnswer({ content: "a" }), chatAnswer({ content: "b" }));
  const { gateway } = createGatewayFixture({
    providers: [localProvider(chat.url), anthropicProvider(server.url)],
    group: { models: ["local/m", "anthropic/claude-haiku-4-5"] },
    onRead: (name) => read.push(name),
  });
  expect(read).toEqual([]);
  await gateway.generate("standard", request, { signal });
  await gateway.generate("standard", request, { signal });
  expect(read).toEqual(["LOCAL_KEY", "LOCAL_KEY"]);
});
