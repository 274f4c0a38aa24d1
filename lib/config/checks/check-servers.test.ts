import { afterAll, expect, it } from "vitest";
import { ProjectFixture, SMALL_PROJECT } from "@/lib/config/project-fixture";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const SERVER = "servers/crm.server.yaml";
const problems = (fields: object) =>
  fixture.problems(
    { ...SMALL_PROJECT, [SERVER]: { ...(SMALL_PROJECT[SERVER] as object), ...fields } },
    { deployment: { allowStdio: true, allowBypass: false } },
  );
const program = (fields: object) => problems({ url: undefined, transport: "stdio", command: "crm", ...fields });
const limits = { memory_mb: 256, start_timeout: "2m", idle: "1h" };
const env = { REGION: "{{ params.region }}" };

it("a process has limits, and no other server has", () => {
  expect(program({ env, limits })).toEqual([]);
  expect(problems({ limits })).toEqual([
    `${SERVER} limits: "limits" belongs to \`transport: stdio\`; remove it, or set the transport`,
  ]);
});

it("limits that make no sense are all named at once", () => {
  const found = program({ env, limits: { memory_mb: 1, start_timeout: "1ms", idle: "soon" } });
  expect(found).toHaveLength(3);
  expect(found.join("\n")).toMatch(/memory_mb[^]*start_timeout[^]*idle/);
});

it("a secret param that `env` does not pass on never reaches a process, and is refused", () => {
  expect(program({ params: { token: { secret: true } } })).toContainEqual(
    `${SERVER} params.token: the secret param "token" never reaches the program; pass it in \`env\`: NAME: "{{ params.token }}"`,
  );
});
