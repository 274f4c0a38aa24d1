import { z } from "zod";

export const APPROVAL_STATUSES = ["pending", "approved", "rejected", "expired", "cancelled"] as const;

export const dangerSchema = z.enum(["safe", "low", "medium", "high", "critical"]);

export const askedBecauseSchema = z
  .strictObject({
    layer: z.string().describe("The layer of the policy that asked"),
    source: z.string().nullable().describe("`file:line` in the project"),
    reason: z.string(),
  })
  .meta({ id: "AskedBecause" });

const shown = {
  approval_id: z.string(),
  call_id: z.string(),
  step_id: z.string().describe("As the workflow's file names it"),
  agent: z.string(),
  server: z.string(),
  tool: z.string(),
  arguments: z.unknown().describe("Redacted"),
  danger: dangerSchema,
  asked_because: z.array(askedBecauseSchema),
  on_reject: z.enum(["fail", "recover", "retry", "skip", "degrade"]),
  min_approvals: z.int(),
  approvals: z.int(),
  expires_at: z.iso.datetime().nullable(),
  digest: z
    .string()
    .describe(
      "Of all that is asked and shown: server, tool, arguments, definition, policy, run, step and who started it. Send it with a decision, and it holds only for what you saw",
    ),
};

/** As in the envelope of its run. */
export const pendingApprovalSchema = z.strictObject(shown).meta({ id: "PendingApproval" });

export const decisionSchema = z
  .strictObject({
    user: z.strictObject({ id: z.string(), name: z.string() }),
    token: z.strictObject({ id: z.string(), name: z.string() }).nullable().describe("Through which the person decided"),
    verdict: z.enum(["approved", "rejected"]),
    reason: z.string().nullable(),
    comment: z.string().nullable(),
    at: z.iso.datetime(),
  })
  .meta({ id: "Decision" });

const setAsideSchema = z
  .strictObject({
    user: z.strictObject({ id: z.string(), name: z.string() }),
    note: z.string().nullable().describe("For everyone who could decide"),
    until: z.iso.datetime().nullable().describe("`null`: until something about the call changes"),
    holds: z.boolean().describe("Whether the call lies aside in that person's queue still"),
    at: z.iso.datetime(),
  })
  .meta({ id: "SetAside" });

const stricterSchema = z
  .strictObject({
    refused: z.string().nullable().describe("Why today's rules refuse the call, so that it cannot be approved"),
    approvers: z.array(z.string()),
    min_approvals: z.int(),
    self_approval: z.boolean(),
  })
  .meta({ id: "StricterRule" });

export const approvalSchema = z
  .strictObject({
    ...shown,
    arguments_omitted: z
      .boolean()
      .describe(
        "In a list, arguments of more than 16 KB are left out: `arguments` is null and this is true. `GET /approvals/{approvalId}` has them",
      ),
    run_id: z.string(),
    workflow: z.string(),
    status: z.enum(APPROVAL_STATUSES),
    summary: z.string().describe("What will happen, in a sentence"),
    agent_says: z.string().nullable().describe("The agent's own words; not a fact"),
    started_by: z.string(),
    approvers: z.array(z.string()).describe("Roles or groups; empty: any reviewer"),
    self_approval: z.boolean(),
    editable: z.boolean(),
    extendable_until: z.iso
      .datetime()
      .nullable()
      .describe("The latest time to which `expires_at` can be moved; `null` for what does not expire"),
    stricter_now: stricterSchema
      .nullable()
      .describe("What the project's rules ask since they became stricter; a decision is held to it"),
    reject_reasons: z.array(z.string()),
    version: z.int(),
    decisions: z.array(decisionSchema),
    set_asides: z.array(setAsideSchema).describe('Who said "not now", oldest first'),
    created_at: z.iso.datetime(),
    decided_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Approval" });
