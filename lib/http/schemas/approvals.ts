import { z } from "zod";
import { ASIDE_MINUTES_MAX, NOTE_LENGTH_MAX } from "@/lib/limits";
import { defineOperation } from "@/lib/http/operation";
import { APPROVAL_STATUSES, approvalSchema } from "@/lib/http/schemas/approval-view";
import { approvalIdParam, listOf, pageQuery, runIdParam, stepParam } from "@/lib/http/schemas/common";

const tag = "Approvals";
const runParams = z.strictObject({ runId: runIdParam });
const stepParams = z.strictObject({ runId: runIdParam, step: stepParam });
const approvalParams = z.strictObject({ approvalId: approvalIdParam });

const decisionFields = {
  digest: z.string().max(80).optional().describe("As shown; the decision holds only for what was asked then"),
  confirm: z
    .string()
    .max(200)
    .optional()
    .describe(
      "For an approval of a critical call: the value of it that the card asks for; 422 names it when it is missing or another one",
    ),
  comment: z.string().trim().max(4_000).optional().describe("For the record"),
  reason: z.string().trim().max(4_000).optional().describe("Told to the agent when the call is rejected"),
  arguments: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Changed arguments: held to the tool's schema and judged by the policy again; only with an approval"),
};
const callId = z.string().max(64).optional().describe("May be left out when one call waits");
const decisionSchema = z.enum(["approve", "approved", "reject", "rejected"]);

const DECIDING =
  "Whoever decides is the session's or token's person, and stands on record with the token. 409 when it was decided already, with who, what and when; 403 when this person may not decide it; 422 when a critical call is approved without its `confirm`.";
const ONLY_BY_APPROVAL = { path: ["arguments"], message: "can only be changed by an approval" };
const editsOnlyWhenApproving = (body: { decision: string; arguments?: unknown }) =>
  body.arguments === undefined || body.decision.startsWith("approve");

const decidedSchema = z
  .strictObject({
    approval_id: z.string(),
    call_id: z.string(),
    run_id: z.string(),
    status: z.enum(APPROVAL_STATUSES).describe("`pending` when more people must approve"),
    approvals: z.int(),
    min_approvals: z.int(),
    digest: z.string(),
  })
  .meta({ id: "Decided" });

export const approveRun = defineOperation({
  id: "approveRun",
  method: "POST",
  path: "/runs/{runId}/approve",
  tag,
  summary: "Approve a call of a run",
  description: `When several calls wait, \`call_id\` says which; without it the answer is 409 with the list. ${DECIDING}`,
  permission: "approvals:decide",
  params: runParams,
  body: z.strictObject({ call_id: callId, ...decisionFields }).meta({ id: "ApproveCall" }),
  response: decidedSchema,
});

export const rejectRun = defineOperation({
  id: "rejectRun",
  method: "POST",
  path: "/runs/{runId}/reject",
  tag,
  summary: "Reject a call of a run",
  description: `The agent goes on as the rule's \`on_reject\` says. ${DECIDING}`,
  permission: "approvals:decide",
  params: runParams,
  body: z
    .strictObject({ call_id: callId, ...decisionFields })
    .refine((body) => body.arguments === undefined, ONLY_BY_APPROVAL)
    .meta({ id: "RejectCall" }),
  response: decidedSchema,
});

export const listApprovals = defineOperation({
  id: "listApprovals",
  method: "GET",
  path: "/approvals",
  tag,
  summary: "Approvals, newest first",
  description:
    "Arguments of more than 16 KB are left out, and `arguments_omitted` says so; read them with `GET /approvals/{approvalId}` before you decide.",
  permission: "approvals:read",
  query: z.strictObject({
    status: listOf(APPROVAL_STATUSES)
      .optional()
      .describe("One status, or several with commas between them; all if absent"),
    run: z.string().max(64).optional().describe("Only those of this run"),
    ...pageQuery("approval"),
  }),
  response: z
    .strictObject({ items: z.array(approvalSchema), next_cursor: z.string().nullable() })
    .meta({ id: "ApprovalPage" }),
});

export const getApproval = defineOperation({
  id: "getApproval",
  method: "GET",
  path: "/approvals/{approvalId}",
  tag,
  summary: "One approval, with its decisions and who set it aside",
  permission: "approvals:read",
  params: approvalParams,
  response: approvalSchema,
});

export const decideApproval = defineOperation({
  id: "decideApproval",
  method: "POST",
  path: "/approvals/{approvalId}/decide",
  tag,
  summary: "Decide an approval",
  description: DECIDING,
  permission: "approvals:decide",
  params: approvalParams,
  body: z
    .strictObject({ decision: decisionSchema, ...decisionFields })
    .refine(editsOnlyWhenApproving, ONLY_BY_APPROVAL)
    .meta({ id: "DecideApproval" }),
  response: decidedSchema,
});

export const extendApproval = defineOperation({
  id: "extendApproval",
  method: "POST",
  path: "/approvals/{approvalId}/extend",
  tag,
  summary: "Give people more time to decide",
  description:
    "409 for an approval that is decided, has expired, or never expires, and for more than `extendable_until` of the approval: seven days after it was asked, or three times its rule's timeout where that is later.",
  permission: "approvals:decide",
  params: approvalParams,
  body: z
    .strictObject({
      minutes: z
        .int()
        .min(1)
        .max(7 * 24 * 60)
        .default(30)
        .describe("Added to the time that is left"),
    })
    .meta({ id: "ExtendApproval" }),
  response: z.strictObject({ approval_id: z.string(), expires_at: z.iso.datetime() }).meta({ id: "ExtendedApproval" }),
});

export const setApprovalAside = defineOperation({
  id: "setApprovalAside",
  method: "POST",
  path: "/approvals/{approvalId}/set-aside",
  tag,
  summary: "Not now: let a call sink in one's own queue",
  description:
    "Decides nothing, and gives nobody more time. The call comes back at `until`, when something about it changes, or in good time before it expires. Others find it where it was, with the note. 409 for an approval that is decided or has expired; 403 when this person could not decide it.",
  permission: "approvals:decide",
  params: approvalParams,
  body: z
    .strictObject({
      minutes: z
        .int()
        .min(1)
        .max(ASIDE_MINUTES_MAX)
        .nullable()
        .default(60)
        .describe("`null`: until something about the call changes"),
      note: z
        .string()
        .trim()
        .max(NOTE_LENGTH_MAX)
        .optional()
        .describe("For everyone who could decide it; the agent never reads it"),
    })
    .meta({ id: "SetApprovalAside" }),
  response: z
    .strictObject({
      approval_id: z.string(),
      until: z.iso.datetime().nullable().describe("May be sooner than asked for"),
    })
    .meta({ id: "ApprovalSetAside" }),
});

export const takeApprovalUp = defineOperation({
  id: "takeApprovalUp",
  method: "POST",
  path: "/approvals/{approvalId}/take-up",
  tag,
  summary: "Bring back a call that one has set aside",
  description: "409 when the caller has not set it aside.",
  permission: "approvals:decide",
  params: approvalParams,
  response: z.strictObject({ approval_id: z.string() }).meta({ id: "ApprovalTakenUp" }),
});

export const getStepApproval = defineOperation({
  id: "getStepApproval",
  method: "GET",
  path: "/runs/{runId}/steps/{step}/approval",
  tag,
  summary: "The approval that a step waits for; the older form",
  description:
    "The one that waits, else the last one that was asked. With several calls waiting the oldest; `GET /approvals?run=` lists all.",
  permission: "approvals:read",
  params: stepParams,
  response: approvalSchema,
});

export const decideStepApproval = defineOperation({
  id: "decideStepApproval",
  method: "POST",
  path: "/runs/{runId}/steps/{step}/approval/decide",
  tag,
  summary: "Decide what a step waits for; the older form",
  description: DECIDING,
  permission: "approvals:decide",
  params: stepParams,
  body: z
    .strictObject({ decision: decisionSchema, call_id: callId, ...decisionFields })
    .refine(editsOnlyWhenApproving, ONLY_BY_APPROVAL)
    .meta({ id: "DecideStepApproval" }),
  response: decidedSchema,
});
