import { afterAll, describe, expect, it } from "vitest";
import { verifies } from "@/e2e/requirements";
import { ProjectFixture } from "./project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const MAIN = "workflows/main.workflow.yaml";
const KEYED = { Authorization: "Bearer {{ env.KEY }}" };

function main(webhook: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return {
    kind: "workflow",
    name: "main",
    env: [{ name: "KEY", secret: true }, { name: "HOOK", secret: true }, { name: "HOST" }],
    params: {
      schema: {
        type: "object",
        properties: { host: { type: "string" }, id: { type: "string" }, pin: { type: "string", secret: true } },
      },
    },
    pipeline: [
      { id: "first", transform: { ops: [] } },
      { id: "hook", webhook },
    ],
    ...more,
  };
}

function chainsOf(files: Record<string, unknown>): string[] {
  const { problems } = fixture.load(files, { processEnv: { KEY: "x", HOOK: "x", HOST: "x" } });
  return problems
    .filter(({ severity }) => severity === "error")
    .map(({ file, message, chain }) => `${file}: ${message}: ${chain}`);
}

const refused = (source: string, secret = "env KEY (secret)") =>
  `${MAIN}: a secret would be sent to an address that the file does not fix: ${source} (chooses the address)  →  webhook of step hook  ←  ${secret}`;

describe("a webhook that carries a secret", () => {
  it.each([
    ["the whole address", "{{ params.host }}"],
    ["the scheme", "{{ params.host }}://x.example/a"],
    ["the host", "https://{{ params.host }}/a"],
    ["a part of the host", "https://{{ params.host }}.x.example/a"],
    ["the end of the host", "https://x.example{{ params.host }}"],
    ["the port", "https://x.example:{{ params.host }}/a"],
    ["a name before the host", "https://{{ params.host }}@x.example/a"],
    ["what follows a variable without a slash between them", "{{ env.HOST }}{{ params.host }}"],
    ["the host after a scheme from a variable", "{{ env.HOST }}://{{ params.host }}/a"],
    ["the host after a variable and two slashes", "{{ env.HOST }}//{{ params.host }}/a"],
    ["the host after a single slash", "https:/{{ params.host }}/a"],
    ["the host after backslashes", "https:\\/{{ params.host }}/a"],
  ])(verifies("webhook:fixed-address", "is refused when params choose %s"), (_name, url) => {
    expect(chainsOf({ [MAIN]: main({ url, headers: KEYED }) }).filter((text) => text.includes("does not fix"))).toEqual(
      [refused("workflow main.params.host")],
    );
  });

  it.each([
    ["in the address", { url: "https://{{ params.host }}/{{ env.KEY }}" }],
    ["in the query", { url: "https://{{ params.host }}/a?key={{ env.KEY }}" }],
    ["in a header", { url: "https://{{ params.host }}/a", headers: KEYED }],
    ["deep in the body", { url: "https://{{ params.host }}/a", body: { list: [{ key: "{{ env.KEY }}" }] } }],
  ])("is refused wherever the secret is: %s", (_name, webhook) => {
    expect(chainsOf({ [MAIN]: main(webhook) })).toEqual([refused("workflow main.params.host")]);
  });

  it("is refused when a step chooses the address, and when the secret is a param", () => {
    expect(chainsOf({ [MAIN]: main({ url: "https://{{ step.first.result }}/a", headers: KEYED }) })).toEqual([
      refused("output of step first"),
    ]);
    expect(chainsOf({ [MAIN]: main({ url: "https://{{ params.host }}/a", body: "{{ params.pin }}" }) })).toEqual([
      refused("workflow main.params.host", "workflow main.params.pin (secret)"),
    ]);
  });

  it("is refused when the caller gives the address as a secret", () => {
    expect(chainsOf({ [MAIN]: main({ url: "{{ params.pin }}" }) })).toEqual([
      refused("workflow main.params.pin", "workflow main.params.pin (secret)"),
    ]);
  });

  it.each([
    ["written out", { url: "https://x.example:8443/{{ params.id }}?q={{ step.first.result }}", headers: KEYED }],
    ["a variable that is a secret itself", { url: "{{ env.HOOK }}" }],
    ["a variable with a path after it", { url: "{{ env.HOST }}/orders/{{ params.id }}", headers: KEYED }],
    ["a variable for the host", { url: "https://{{ env.HOST }}/orders/{{ params.id }}", headers: KEYED }],
  ])("is allowed when the address is %s", (_name, webhook) => expect(chainsOf({ [MAIN]: main(webhook) })).toEqual([]));

  it("without a secret may go where params say; the key that signs it is not sent", () => {
    expect(
      chainsOf({
        [MAIN]: main({ url: "{{ params.host }}", body: { id: "{{ params.id }}" }, secret: "{{ env.KEY }}" }),
      }),
    ).toEqual([]);
  });
});

describe("a webhook in a sub-workflow", () => {
  const nested = {
    kind: "workflow",
    name: "nested",
    visibility: "sub-workflow",
    webhooks: "execute",
    params: {
      schema: { type: "object", properties: { target: { type: "string" }, key: { type: "string", secret: true } } },
    },
    pipeline: [{ id: "hook", webhook: { url: "{{ params.target }}", headers: { "X-Key": "{{ params.key }}" } } }],
  };
  const files = (target: string) => ({
    [MAIN]: main(
      { url: "https://x.example" },
      {
        pipeline: [
          { id: "first", transform: { ops: [] } },
          { id: "child", workflow: "workflows/nested.workflow.yaml", input: { target, key: "{{ env.KEY }}" } },
        ],
      },
    ),
    "workflows/nested.workflow.yaml": nested,
  });
  const drawn = (source: string) =>
    `workflows/nested.workflow.yaml: a secret would be sent to an address that the file does not fix: ${source}  →  webhook of step hook  ←  workflow nested.params.key (secret)`;

  it("is checked by where its parent takes the address from, and the whole chain is drawn", () => {
    expect(chainsOf(files("{{ env.HOST }}"))).toEqual([]);
    expect(chainsOf(files("https://x.example/hook"))).toEqual([]);
    expect(chainsOf(files("{{ params.host }}"))).toEqual([
      drawn("workflow main.params.host (chooses the address)  →  workflow nested.params.target"),
    ]);
    expect(chainsOf(files("{{ step.first.result }}"))).toEqual([
      drawn("output of step first (chooses the address)  →  workflow nested.params.target"),
    ]);
  });

  it("is refused when no parent gives the address", () => {
    const { "workflows/nested.workflow.yaml": alone } = files("");
    expect(chainsOf({ "workflows/nested.workflow.yaml": alone })).toEqual([
      drawn("workflow nested.params.target (chooses the address)"),
    ]);
  });
});
