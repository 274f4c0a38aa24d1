import { afterAll, afterEach, expect, test, vi } from "vitest";
import { ProjectFixture, SMALL_PROJECT } from "@/lib/config/project-fixture";
import { generateToken } from "@/lib/people/rules/api-token";
import { cleanChunk } from "@/lib/projects/clean-output";
import { matchKnownSecrets, matchOwnSecrets } from "@/lib/projects/known-secrets";

const fixture = new ProjectFixture();
afterEach(() => vi.unstubAllEnvs());
afterAll(() => fixture.remove());

const hide = (text: string, variables: Record<string, string> = {}) =>
  matchOwnSecrets(variables).replaceAll(text, () => "[secret]");

test.each([
  [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "x-team=a1b2c3d4e5,authorization=Bearer%20ey.SENTINEL%2Bkey",
    ["a1b2c3d4e5", "ey.SENTINEL+key", "ey.SENTINEL%2Bkey"],
  ],
  ["OTEL_EXPORTER_OTLP_TRACES_HEADERS", "api-key=%E0%A4%A-broken", ["%E0%A4%A-broken"]],
  ["DATABASE_URL", "postgresql://kimitsu:half%ZZpassword@db/kimitsu", ["half%ZZpassword"]],
])("what %s holds is known", (name, value, secrets) => {
  for (const secret of secrets) expect(hide(`sent ${secret} along`, { [name]: value })).toBe("sent [secret] along");
});

test("an API token is known by its form, whoever made it, in JSON and addresses too", () => {
  const token = generateToken();
  expect(hide(`{"token":"${token}","next":"/x?t=${token}&y=1"}`)).toBe(
    '{"token":"[secret]","next":"/x?t=[secret]&y=1"}',
  );
  expect(hide("kmt_short and kmt_")).toBe("kmt_short and kmt_");
});

test("a secret written in a file in place of a variable's name is known too", () => {
  const { project, problems } = fixture.load({
    ...SMALL_PROJECT,
    "gateway.yaml": {
      providers: [{ name: "paid", type: "openai", config: { api_key: "sk-sentinel-key" } }],
      model_groups: [{ name: "standard", models: ["paid/m"] }],
    },
    "policy.yaml": {
      env: [{ name: "KEY", secret: true }],
      channels: [
        { name: "chat", type: "slack", url: "https://hooks.example/sentinel-path", events: ["run.failed"] },
        {
          name: "program",
          type: "webhook",
          url: "https://hooks.example/open",
          secret: "sentinel-signature",
          events: ["run.failed"],
        },
        {
          name: "proper",
          type: "webhook",
          url: "https://hooks.example/open",
          secret: "{{ env.KEY }}",
          events: ["run.failed"],
        },
      ],
    },
  });
  expect(problems.filter(({ severity }) => severity === "error")).toEqual([]);
  const hidden = (text: string) => matchKnownSecrets(project!, {}).replaceAll(text, () => "[secret]");
  for (const secret of ["sk-sentinel-key", "https://hooks.example/sentinel-path", "sentinel-signature"])
    expect(hidden(`sent ${secret} along`)).toBe("sent [secret] along");
  expect(hidden("https://hooks.example/open {{ env.KEY }}")).toBe("https://hooks.example/open {{ env.KEY }}");
});

test("bytes are cleaned like text, and left as they are when they hold no secret", () => {
  vi.stubEnv("AUTH_SECRET", "a-secret-of-more-than-32-characters");
  expect(cleanChunk(Buffer.from("said a-secret-of-more-than-32-characters aloud"))).toBe("said [secret] aloud");
  const half = Buffer.from("é").subarray(0, 1);
  expect(cleanChunk(half)).toBe(half);
});

test("a declared secret is known by the value that it has now, and what the files hold stays known", () => {
  const gateway = { ...SMALL_PROJECT["gateway.yaml"], env: [{ name: "MODEL_KEY", secret: true }] };
  const server = { ...SMALL_PROJECT["servers/crm.server.yaml"], auth: { secret: "`literal-of-a-file`" } };
  const { project } = fixture.load(
    { ...SMALL_PROJECT, "gateway.yaml": gateway, "servers/crm.server.yaml": server },
    { processEnv: { MODEL_KEY: "before-rotation" } },
  );
  const text = "before-rotation after-rotation literal-of-a-file of-the-deployment";
  const hideWith = (variables: Record<string, string>) =>
    matchKnownSecrets(project!, variables).replaceAll(text, () => "[secret]");
  expect(hideWith({ MODEL_KEY: "before-rotation" })).toBe("[secret] after-rotation [secret] of-the-deployment");
  expect(hideWith({ MODEL_KEY: "after-rotation" })).toBe("before-rotation [secret] [secret] of-the-deployment");
  expect(hideWith({ MODEL_KEY: "after-rotation", AUTH_SECRET: "of-the-deployment" })).toBe(
    "before-rotation [secret] [secret] [secret]",
  );
});
