import { z } from "zod";
import { defineOperation } from "@/lib/http/operation";
import { APPROVAL_STATUSES, askedBecauseSchema, dangerSchema, decisionSchema } from "@/lib/http/schemas/approval-view";
import { callIdParam, pageQuery, runIdParam } from "@/lib/http/schemas/common";

const CALL_STATUSES = [
  "denied",
  "pending_approval",
  "approved",
  "rejected",
  "expired",
  "cancelled",
  "executing",
  "succeeded",
  "failed",
  "outcome_unknown",
] as const;

const layerSchema = z
  .strictObject({
    layer: z.string(),
    outcome: z.enum(["pass", "allow", "deny", "ask"]),
    reason: z.string(),
    source: z.string().nullable().describe("`file:line` in the project"),
    agent: z.string().nullable().describe("Whose file it is, where a sub-agent calls"),
  })
  .meta({ id: "PolicyLayer" });

const questionSchema = z
  .strictObject({
    approval_id: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    min_approvals: z.int(),
    decisions: z.array(decisionSchema),
    created_at: z.iso.datetime(),
    decided_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "CallApproval" });

const resultSchema = z
  .strictObject({
    success: z.boolean(),
    output: z.string().describe("All that can be read as text"),
    content: z.array(z.looseObject({ type: z.string() })).describe("The blocks as the server sent them"),
    structured_content: z.unknown(),
    is_error: z.boolean(),
    error: z.string().nullable(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    exit_code: z.int().optional(),
  })
  .meta({ id: "ToolResult" });

const callSchema = z
  .strictObject({
    call_id: z.string(),
    run_id: z.string(),
    step_id: z.string().describe("As the workflow's file names it"),
    parent_call_id: z.string().nullable().describe("The call that began the sub-agent which made this one"),
    agent: z.string().nullable().describe("`null` for a webhook"),
    server: z.string(),
    tool: z.string(),
    status: z.enum(CALL_STATUSES),
    danger: dangerSchema,
    summary: z.string().describe("What it does, in a sentence"),
    arguments: z.unknown().describe("Redacted"),
    digest: z.string(),
    asked_because: z.array(askedBecauseSchema),
    policy: z.array(layerSchema).describe("The layers that it passed, in their order"),
    approvals: z.array(questionSchema).describe("What people were asked about it, oldest first, and who said what"),
    cost_usd: z.number(),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
    result: resultSchema
      .nullable()
      .describe("Redacted; `null` for a call that was not sent, whose outcome is unknown, or whose result is left out"),
    result_left_out: z.boolean().describe("The result is longer than 64 KiB and stands in `GET /calls/{callId}` only"),
    created_at: z.iso.datetime(),
    executing_at: z.iso.datetime().nullable().describe("When it was about to be sent"),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Call" });

export const listRunCalls = defineOperation({
  id: "listRunCalls",
  method: "GET",
  path: "/runs/{runId}/calls",
  tag: "Calls",
  summary: "The calls of a run, in their order",
  description: "Those of sub-agents and webhooks are among them. Results of more than 64 KiB are left out.",
  permission: "runs:read",
  params: z.strictObject({ runId: runIdParam }),
  query: z.strictObject(pageQuery("call")),
  response: z.strictObject({ items: z.array(callSchema), next_cursor: z.string().nullable() }).meta({ id: "CallPage" }),
});

export const getCall = defineOperation({
  id: "getCall",
  method: "GET",
  path: "/calls/{callId}",
  tag: "Calls",
  summary: "One call, with why it was let through or asked, who decided, and its result",
  permission: "runs:read",
  params: z.strictObject({ callId: callIdParam }),
  response: callSchema,
});

export const settleCall = defineOperation({
  id: "settleCall",
  method: "POST",
  path: "/calls/{callId}/settle",
  tag: "Calls",
  summary: "Say what became of a call whose outcome is unknown",
  description:
    "`happened`: it counts as done, with this result. `did_not_happen`: it is sent now. `failed`: it counts as failed. 409 for a call in any other state. `pending_settlements` of a run's envelope has these calls.",
  permission: "runs:write",
  params: z.strictObject({ callId: callIdParam }),
  body: z
    .strictObject({
      outcome: z.enum(["happened", "did_not_happen", "failed"]),
      result: z.unknown().optional().describe("What came of it, as the agent shall see it; only with `happened`"),
      comment: z.string().trim().max(4_000).optional().describe("Why, or how it is known; kept with who said it"),
    })
    .refine((body) => body.result === undefined || body.outcome === "happened", {
      path: ["result"],
      message: "can only be given for a call that happened",
    })
    .meta({ id: "SettleCall" }),
  response: z.strictObject({ call_id: z.string(), run_id: z.string(), status: z.string() }).meta({ id: "SettledCall" }),
});
