import { beforeAll, expect, test } from "vitest";
import { POST as APPROVE } from "@/app/runs/[runId]/approve/route";
import { POST as DECIDE_STEP } from "@/app/runs/[runId]/steps/[step]/approval/decide/route";
import { POST as START } from "@/app/runs/route";
import { verifies } from "@/e2e/requirements";
import { decideApproval } from "@/lib/approvals/decide-approval";
import { ask, openApiBench } from "@/lib/testing/api-bench";
import { useDatabase } from "@/lib/testing/database";
import { POST as DECIDE } from "./[approvalId]/decide/route";

const database = useDatabase();
/** Declared destructive, so that a call of it is critical. */
const TOOL = "t-ro--de1-id--ow-";
const SCRIPT = `agents:\n  worker:\n    turns:\n      - call: [{ tool: ${TOOL}, arguments: { customer: C-201 } }]\n      - output: { done: true }\n`;

let bench: Awaited<ReturnType<typeof openApiBench>>;
let starter: Awaited<ReturnType<typeof bench.login>>;
let reviewer: typeof starter;
beforeAll(async () => {
  bench = await openApiBench(database, {
    script: SCRIPT,
    allowlist: `- name: ${TOOL}\n  require_approval: { reason: gone for good }`,
  });
  starter = await bench.login("operator");
  reviewer = await bench.login("reviewer");
});

async function waiting() {
  const runId = (await ask(START, "/runs", { method: "POST", token: starter.token, body: { workflow: "main" } })).body
    .run_id as string;
  await bench.advance(runId);
  const [approval] = await bench.pendingOf(runId);
  return { runId, approval: approval! };
}

type Waiting = Awaited<ReturnType<typeof waiting>>;
type Answer = Promise<{ status: number; body: { error: { message: string; issues: unknown } } }>;
const post = (body: object) => ({ method: "POST", token: reviewer.token, body }) as const;
const WAYS: [name: string, approve: (of: Waiting, body: object) => Answer][] = [
  [
    "/approvals/{id}/decide",
    ({ approval }, body) =>
      ask(DECIDE, "/approvals/x/decide", post({ decision: "approve", ...body }), { approvalId: approval.id }),
  ],
  ["/runs/{id}/approve", ({ runId }, body) => ask(APPROVE, "/runs/x/approve", post(body), { runId })],
  [
    "/runs/{id}/steps/{step}/approval/decide",
    ({ runId }, body) =>
      ask(DECIDE_STEP, "/runs/x/steps/work/approval/decide", post({ decision: "approve", ...body }), {
        runId,
        step: "work",
      }),
  ],
];

test.each(WAYS)(
  verifies("approval:critical:confirmed", "%s approves a critical call only with a value of it, and says which"),
  async (_name, approve) => {
    const it = await waiting();
    for (const [confirm, what] of [
      [{}, "is missing"],
      [{ confirm: "c-201" }, "is another word"],
    ] as const) {
      const { status, body } = await approve(it, confirm);
      expect(status).toBe(422);
      expect(body.error).toMatchObject({
        message: expect.stringContaining("This call is critical: type C-201 to approve it"),
        issues: [{ path: "confirm", message: `${what}; write "C-201"` }],
      });
      expect((await bench.pendingOf(it.runId))[0]).toMatchObject({ status: "pending", approvals: 0, decisions: [] });
    }
    expect((await approve(it, { confirm: "C-201" })).status).toBe(200);
    await bench.advance(it.runId);
    expect((await bench.server.calls(TOOL)).at(-1)).toMatchObject({ arguments: { customer: "C-201" } });
  },
);

test(
  verifies(
    "approval:critical:confirmed",
    "changed arguments are confirmed with a value that they really have; a rejection needs none",
  ),
  async () => {
    const [decide] = [WAYS[0]![1]];
    const it = await waiting();
    expect((await decide(it, { arguments: { customer: "C-202" }, confirm: "C-201" })).body.error.issues).toEqual([
      { path: "confirm", message: 'is another word; write "C-202"' },
    ]);
    expect((await decide(it, { arguments: { customer: "C-202" }, confirm: "C-202" })).status).toBe(200);
    const other = await waiting();
    expect((await decide(other, { decision: "reject" })).status).toBe(200);
  },
);

test(verifies("approval:critical:confirmed", "the engine asks for it from a person's session as well"), async () => {
  const { approval } = await waiting();
  const by = {
    userId: reviewer.user.id,
    role: "reviewer" as const,
    groups: [],
    actor: reviewer.user.actor,
    tokenId: null,
  };
  const approve = (confirm?: string) =>
    decideApproval(bench.deps, by, {
      approvalId: approval.id,
      verdict: "approved",
      digest: approval.digest,
      ...(confirm === undefined ? {} : { confirm }),
    });
  await expect(approve()).rejects.toThrow(/type C-201 to approve it/);
  expect(await approve("C-201")).toMatchObject({ status: "approved" });
});
