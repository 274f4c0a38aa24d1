import { afterAll, expect, test } from "vitest";
import { verifies } from "@/e2e/requirements";
import { buildTree } from "@/lib/cli/tree";
import { BUILTIN_SERVERS } from "./builtin-servers";
import { ProjectFixture, SMALL_PROJECT } from "./project-fixture";
import { serverSchema } from "./server-schema";

const fixture = new ProjectFixture();
afterAll(() => fixture.remove());

const AGENT = "agents/triage.agent.yaml";
const withServer = (server: Record<string, unknown>, step: Record<string, unknown> = {}) => ({
  ...SMALL_PROJECT,
  [AGENT]: { ...SMALL_PROJECT[AGENT], servers: [{ name: "kimitsu/files", ...server }] },
  "workflows/support.workflow.yaml": {
    ...SMALL_PROJECT["workflows/support.workflow.yaml"],
    pipeline: [{ id: "sort", agent: AGENT, params: { message: "{{ params.message }}", ...step } }],
  },
});

test(verifies("builtin:params", "each wrong param of a built-in server is named with its place"), () => {
  const files = withServer(
    { params: { allowed_base: "/etc", read_only_paths: "ref", max_file_bytes: 0, allowed_bases: "x" } },
    { server: { "kimitsu/files": { read_only_paths: ["ok", 7] } } },
  );
  expect(fixture.problems(files)).toEqual([
    `${AGENT} servers[0].params.allowed_base: choose a folder of your own: this one belongs to the system`,
    expect.stringMatching(/servers\[0\]\.params\.read_only_paths: expected a list/),
    expect.stringMatching(/servers\[0\]\.params\.max_file_bytes: .*1/),
    expect.stringMatching(
      /servers\[0\]\.params\.allowed_bases: .*no param "allowed_bases"; did you mean "allowed_base"/,
    ),
    expect.stringMatching(
      /workflow\.yaml pipeline\[0\]\.params\.server\["?kimitsu\/files"?\]\.read_only_paths\[1\]: expected text/,
    ),
  ]);
  const { problems } = fixture.load(files);
  expect(problems.map(({ line }) => line > 1)).toEqual([true, true, true, true, true]);
});

test(verifies("builtin:params", "a param that has no default must be given, and a template is left to the run"), () => {
  expect(fixture.problems(withServer({}))).toEqual([expect.stringContaining('needs the param "allowed_base"')]);
  expect(fixture.problems(withServer({ params: { allowed_base: "{{ params.message }}" } }))).toEqual([]);
});

test(
  verifies("builtin:lock", "a project has the built-in servers that it names, with their facts, and no others"),
  () => {
    const { project } = fixture.load(withServer({ params: { allowed_base: "data" } }));
    expect(Object.keys(project!.servers).sort()).toEqual(["crm", "kimitsu/files"]);
    expect(project!.servers["kimitsu/files"]).toMatchObject({ origin: "builtin", file: "" });
    const tree = JSON.stringify(buildTree(project!, "support"));
    expect(tree).toContain('"value":"data","origin":"agent"');
    expect(tree).toContain('"value":1048576,"origin":"default","source":"built-in"');
  },
);

test("what a built-in server declares is what a server file could declare", () => {
  for (const [name, { definition }] of BUILTIN_SERVERS) {
    const { timeout, refresh, ...rest } = definition;
    const written = { ...rest, name: name.replace("/", "-"), timeout: `${timeout}ms`, refresh: `${refresh}ms` };
    const parsed = serverSchema.safeParse({
      ...written,
      timeout: `${timeout / 1_000}s`,
      refresh: `${refresh / 1_000}s`,
    });
    expect(parsed.error?.issues ?? [], name).toEqual([]);
    expect({ ...parsed.data, name }).toEqual(definition);
  }
});
