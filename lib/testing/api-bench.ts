import type { ProjectProfile } from "@/lib/config/project";
import { afterAll } from "vitest";
import type { Role, Scope } from "@/lib/people/rules/roles";
import { scopesOf } from "@/lib/people/rules/roles";
import { createToken } from "@/lib/people/create-token";
import { listPendingOfRun } from "@/lib/approvals/queries/get-approval";
import { buildUser } from "@/lib/testing/builders";
import type { TestDatabase } from "@/lib/testing/database";
import { startRecordingServer } from "@/lib/testing/recording-server";
import { testRequest, withParams } from "@/lib/testing/requests";
import { oneAgentProject, openRunBench } from "@/lib/testing/run-bench";

type Handler = (request: Request, context: { params: Promise<Record<string, string>> }) => Promise<Response>;

/** A run reads, asks twice, and ends: `echo` needs no approval, `t-none` asks. */
export const ASKING = {
  script: `agents:
  worker:
    turns:
      - say: "I look and I act."
        call:
          - { tool: echo, arguments: { text: look } }
          - { tool: t-none, arguments: { text: act } }
      - output: { did: "{{ status.t-none }}" }
`,
  allowlist: `- echo\n- name: t-none\n  require_approval: { on_reject: recover, reason: Irreversible, timeout: 30m, timeout_behavior: reject, reject_reasons: [Wrong] }`,
};

/**
 * The API over a real project and a recording tool server, without a worker: the test advances runs. Route handlers of
 * this file use it.
 */
export async function openApiBench(
  database: TestDatabase,
  facts: Partial<Parameters<typeof oneAgentProject>[0]> & {
    files?: Record<string, string>;
    processEnv?: Record<string, string>;
  } = {},
) {
  const server = await startRecordingServer({});
  afterAll(() => server.close());
  const { files = {}, processEnv, ...project } = facts;
  const bench = await openRunBench(
    database,
    { ...oneAgentProject({ url: server.url, ...ASKING, ...project }), ...files },
    processEnv,
  );
  Object.assign(globalThis, { __kimitsuRuntime: bench.deps });
  /** A person with a token, of all scopes of the role unless others are given. */
  const login = async (role: Role, facts2: { scopes?: Scope[]; name?: string } = {}) => {
    const user = await buildUser(bench.deps, role, facts2.name ? { name: facts2.name } : {});
    const scopes = facts2.scopes ?? scopesOf(role);
    const profile = scopes.includes("mcp") ? "coding" : null;
    const project = { profiles: { coding: {} as ProjectProfile } };
    const given = { name: `${role}'s`, userId: user.id, scopes, profile };
    return { user, ...(await createToken({ ...bench.deps, project }, user.actor, given)) };
  };
  const pendingOf = (runId: string) => listPendingOfRun(bench.deps.db, runId);
  return { ...bench, server, login, pendingOf };
}

/** Calls a handler, and returns status and parsed body. */
export async function ask(
  handler: Handler,
  path: string,
  facts: Parameters<typeof testRequest>[1],
  params: Record<string, string> = {},
) {
  const response = await handler(testRequest(path, facts), withParams(params));
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text.startsWith("{") ? JSON.parse(text) : text };
}
