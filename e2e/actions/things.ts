/** Things that actions act upon, made again for each call: runs in each state, views, tokens, groups, people. */
import { randomBytes } from "node:crypto";
import type { Role } from "@/lib/people/rules/roles";
import { createToken } from "@/lib/people/create-token";
import type { EngineDeps } from "@/lib/database/deps";
import { createGroup } from "@/lib/people/groups";
import { pauseDispatch } from "@/lib/runs/pause-dispatch";
import { saveView } from "@/lib/people/saved-views";
import { buildUser } from "@/lib/testing/builders";
import { sessionCookie } from "@/lib/testing/requests";
import { oneAgentProject } from "@/lib/testing/run-bench";
import { expect, type Person } from "../fixtures";

const SCRIPT = `agents:
  worker:
    params: { what: 'Do (\\w+)' }
    rules:
      - { when: "params.what == 'review'", output: { ktsu_needs_human: true, n: 1 } }
      - { when: "params.what == 'fail'", error: { kind: refused } }
    turns:
      - branches:
          - { when: "params.what == 'ask'", call: [{ tool: t-none, arguments: { n: 1 } }] }
          - { call: [{ tool: drop-after, arguments: { n: 1 } }] }
    otherwise: { output: { ok: true } }
`;

export function thingsProject(url: string): Record<string, string> {
  const files = oneAgentProject({
    url,
    allowlist: "- drop-after\n- name: t-none\n  require_approval: { timeout: 30m }",
    script: SCRIPT,
  });
  const params = "params: { schema: { type: object, required: [what], properties: { what: { type: string } } } }";
  return {
    ...files,
    "agents/worker.agent.yaml": files["agents/worker.agent.yaml"]!.replace(
      'user: "Go."',
      'user: "Do {{ params.what }}"',
    ).replace("prompt:", `${params}\nprompt:`),
    "workflows/main.workflow.yaml": `kind: workflow\nname: main\n${params}\npipeline:\n  - { id: work, agent: ./agents/worker.agent.yaml, params: { what: "{{ params.what }}" } }\n`,
    "policy.yaml": "channels: [{ name: letters, type: email, to: [ops@example.test], events: [run.failed] }]\n",
  };
}

export type Things = ReturnType<typeof makeThings>;

/** `self` is the caller. Everything else belongs to somebody else. */
export function makeThings({ deps, base, self }: { deps: EngineDeps; base: string; self: Person }) {
  const unique = (name: string) => `${name} ${randomBytes(4).toString("hex")}`;
  const person = (role: Role = "viewer") => buildUser(deps, role, { name: unique("Other") });
  const startRun = async (what: string) => {
    const starter = await person("operator");
    const answer = await fetch(`${base}/runs`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: base, cookie: await sessionCookie(starter) },
      body: JSON.stringify({ workflow: "main", params: { what } }),
    });
    expect(answer.status).toBe(202);
    return ((await answer.json()) as { run_id: string }).run_id;
  };
  /** In the given state, and left alone by the worker. */
  const runThat = async (what: string, status: string) => {
    const runId = await startRun(what);
    await expect
      .poll(
        async () =>
          ((run) => `${run.status} ${run.leaseOwner}`)(await deps.db.run.findUniqueOrThrow({ where: { id: runId } })),
        { message: `run ${runId} is ${status}` },
      )
      .toBe(`${status} null`);
    return runId;
  };
  const pending = async () => {
    const runId = await runThat("ask", "pending_approval");
    const {
      id: approvalId,
      questionDigest: digest,
      version,
    } = await deps.db.approval.findFirstOrThrow({ where: { runId } });
    return { runId, approvalId, digest, version };
  };
  return {
    self,
    unique,
    person,
    pending,
    setAside: async (by: Person) => {
      const { approvalId, version } = await pending();
      await deps.db.setAside.create({ data: { approvalId, userId: by.id, version, createdAt: deps.now() } });
      return approvalId;
    },
    toReview: async () => {
      const runId = await runThat("review", "needs_human_review");
      return { runId, stepId: (await deps.db.step.findFirstOrThrow({ where: { runId } })).id };
    },
    unknown: async () => {
      const runId = await runThat("lose", "needs_human_review");
      return {
        runId,
        callId: (await deps.db.call.findFirstOrThrow({ where: { runId, status: "outcome_unknown" } })).id,
      };
    },
    failed: () => runThat("fail", "failed"),
    view: async (owner: Person) =>
      (await saveView(deps, owner.id, { name: unique("View"), query: "status=failed", isDefault: false })).id,
    token: async (owner: Person) =>
      (await createToken(deps, owner.actor, { name: unique("Token"), userId: owner.id, scopes: ["runs:read"] })).id,
    pause: () => pauseDispatch(deps, self.actor, true),
    group: async () => (await createGroup(deps, self.actor, { name: `group-${randomBytes(4).toString("hex")}` })).id,
  };
}
