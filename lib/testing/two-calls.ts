/**
 * The run that the tests of crashes drive: one turn asks for two calls, neither of which may be sent twice; people are
 * asked for one of them. A second step uses the output of the first.
 */
import { decideApproval, type DecidedBy } from "@/lib/approvals/decide-approval";
import type { Runtime } from "@/lib/runs/runtime";
import { settleCall } from "@/lib/runs/settle-call";
import { startRun } from "@/lib/runs/start-run";
import { isRunSettled } from "@/lib/runs/rules/run-state";
import { HANG_MS } from "@/lib/testing/hang";
import type { RecordingControl } from "@/lib/testing/recording/control";
import { oneAgentProject, TEST_ACTOR } from "@/lib/testing/run-bench";
import { until } from "@/lib/testing/until";

/** Sent without a person. */
export const FREE_TOOL = "echo";
/** Sent when a person approved it. */
export const ASKED_TOOL = "t-none";

const SCRIPT = `agents:
  worker:
    params: { tag: 'Go (\\S+)' }
    turns:
      - say: "I look and I act."
        call:
          - { tool: ${FREE_TOOL}, arguments: { tag: "{{ params.tag }}" } }
          - { tool: ${ASKED_TOOL}, arguments: { tag: "{{ params.tag }}" } }
      - output: { tag: "{{ params.tag }}", free: "{{ status.${FREE_TOOL} }}", asked: "{{ status.${ASKED_TOOL} }}" }
`;

export function twoCallsProject(url: string): Record<string, string> {
  const files = oneAgentProject({
    url,
    allowlist: `- ${FREE_TOOL}\n- name: ${ASKED_TOOL}\n  require_approval: { on_reject: recover }`,
    script: SCRIPT,
  });
  return {
    ...files,
    "agents/worker.agent.yaml": files["agents/worker.agent.yaml"]!.replace(
      'user: "Go."',
      'user: "Go {{ params.tag }}"',
    ).replace(
      "prompt:",
      "params: { schema: { type: object, required: [tag], properties: { tag: { type: string } } } }\nprompt:",
    ),
    "workflows/main.workflow.yaml":
      'kind: workflow\nname: main\nparams: { schema: { type: object, required: [tag], properties: { tag: { type: string } } } }\npipeline:\n  - id: work\n    agent: ./agents/worker.agent.yaml\n    params: { tag: "{{ params.tag }}" }\n  - { id: tidy, depends_on: [work], transform: { inputs: [{ from: work }] } }\noutput: { from: work }\n',
  };
}

export function startTwoCalls(deps: Runtime, tag: string): Promise<{ runId: string }> {
  return startRun(deps, { workflow: "main", params: { tag }, actor: TEST_ACTOR });
}

/** How often the tool was called for this run, by the server's record. */
export async function countCalls(server: RecordingControl, tool: string, tag: string): Promise<number> {
  return (await server.calls(tool)).filter((call) => (call.arguments as { tag?: string }).tag === tag).length;
}

/** What a person must handle on the run: calls to approve, and calls whose outcome they look up at the server. */
async function readRun(deps: Runtime, runId: string) {
  const run = await deps.db.run.findUniqueOrThrow({
    where: { id: runId },
    select: {
      status: true,
      output: true,
      error: true,
      params: true,
      leaseOwner: true,
      calls: { select: { id: true, tool: true, status: true } },
      approvals: { where: { status: "pending" }, select: { id: true } },
    },
  });
  return { ...run, unknown: run.calls.filter((call) => call.status === "outcome_unknown") };
}

/** When people act: `parked` waits until no worker has the run, `at once` decides while one has it. */
export type PeopleAct = "parked" | "at once";

/**
 * Does what a careful person would, as often as needed, until the run has ended: approves, and settles by the server's
 * record.
 */
export async function seeToTheEnd(
  deps: Runtime,
  server: RecordingControl,
  by: DecidedBy,
  runId: string,
  act: PeopleAct = "parked",
  timeoutMs = HANG_MS,
) {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const seen = await until(() => readRun(deps, runId), {
      what: `run ${runId} over, or in need of a person`,
      timeoutMs: Math.max(deadline - performance.now(), 1),
      isDone: (run) =>
        isRunSettled(run.status) ||
        ((run.leaseOwner === null || act === "at once") && run.approvals.length + run.unknown.length > 0),
    });
    if (isRunSettled(seen.status)) return seen;
    const { tag } = seen.params as { tag: string };
    for (const approval of seen.approvals)
      await decideApproval(deps, by, { approvalId: approval.id, verdict: "approved" });
    for (const call of seen.unknown) {
      const happened = (await countCalls(server, call.tool, tag)) > 0;
      await settleCall(deps, by.actor, {
        callId: call.id,
        outcome: happened ? "happened" : "did_not_happen",
        ...(happened ? { result: { tag } } : {}),
      });
    }
  }
}
