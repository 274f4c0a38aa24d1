import { z } from "zod";
import { actorSchema } from "@/lib/http/schemas/common";
import { dangerSchema, pendingApprovalSchema } from "@/lib/http/schemas/approval-view";

export const RUN_STATUSES = [
  "pending",
  "running",
  "pending_approval",
  "needs_human_review",
  "complete",
  "failed",
  "cancelled",
] as const;

export const failureSchema = z.looseObject({ code: z.string(), message: z.string() }).meta({ id: "Failure" });

export const metricsSchema = z
  .strictObject({
    tokens_in: z.int(),
    tokens_out: z.int(),
    cost_usd: z.number(),
    llm_calls: z.int(),
    tool_calls: z.int(),
    duration_ms: z.int().describe("From start to end, or to the last thing on record"),
  })
  .meta({ id: "Metrics" });

const stepSchema = z
  .strictObject({
    id: z.string().describe("As the workflow's file names it"),
    type: z.enum(["agent", "transform", "webhook", "workflow"]),
    status: z.enum([
      "pending",
      "running",
      "pending_approval",
      "needs_human_review",
      "complete",
      "failed",
      "skipped",
      "cancelled",
    ]),
    output: z.unknown(),
    error: failureSchema.nullable(),
    degraded: z.boolean(),
    metrics: metricsSchema.describe("With those of its items, sub-workflow and sub-agents"),
  })
  .meta({ id: "RunStep" });

const pendingReviewSchema = z
  .strictObject({
    step_id: z.string().describe("`step_…`, to be named in the review where several wait"),
    step: z.string().describe("As the workflow's file names it, with the item or the sub-agent"),
    message: z.string().describe("Why the agent wants it seen"),
    output: z.unknown(),
    digest: z.string().describe("Of the output; send it with a review, and it holds only for what you saw"),
  })
  .meta({ id: "PendingReview" });

const pendingSettlementSchema = z
  .strictObject({
    call_id: z.string().describe("For `POST /calls/{callId}/settle`"),
    step_id: z.string().describe("As the workflow's file names it"),
    agent: z.string(),
    server: z.string(),
    tool: z.string(),
    summary: z.string().describe("What the call does, in a sentence made from its arguments"),
    arguments: z.unknown().describe("Redacted"),
    danger: dangerSchema,
    unknown_since: z.iso.datetime(),
  })
  .meta({ id: "PendingSettlement" });

export const runEnvelopeSchema = z
  .strictObject({
    run_id: z.string(),
    workflow: z.string(),
    version: z.string().nullable(),
    config_hash: z.string(),
    status: z.enum(RUN_STATUSES),
    error: failureSchema.nullable(),
    started_by: actorSchema,
    parent_run_id: z.string().nullable(),
    retry_of_run_id: z.string().nullable().describe("The run that this one goes on from"),
    params: z.record(z.string(), z.unknown()).describe("Secrets read `[secret]`"),
    steps: z.array(stepSchema),
    pending_approvals: z.array(pendingApprovalSchema),
    pending_reviews: z.array(pendingReviewSchema),
    pending_settlements: z
      .array(pendingSettlementSchema)
      .describe(
        "Calls that were sent and of which nobody knows whether they happened, also of a run that is over; the first hundred",
      ),
    totals: metricsSchema,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "RunEnvelope" });

export const runSummarySchema = z
  .strictObject({
    run_id: z.string(),
    workflow: z.string(),
    version: z.string().nullable(),
    status: z.enum(RUN_STATUSES),
    error: failureSchema.nullable(),
    started_by: actorSchema
      .extend({
        person: z
          .string()
          .nullable()
          .describe("Who started it themselves, or whose token or agent did; null where none is on record"),
      })
      .meta({ id: "Starter" }),
    parent_run_id: z.string().nullable(),
    retry_of_run_id: z.string().nullable(),
    agents: z.array(z.string()),
    pending_approvals: z.int(),
    totals: metricsSchema,
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    completed_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "RunSummary" });

export const runEventSchema = z
  .strictObject({
    seq: z.int().describe("Place in the run, from 1 without a gap; the `id` of server-sent events"),
    event_id: z.string(),
    type: z.string(),
    at: z.iso.datetime(),
    actor: actorSchema,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "RunEvent" });
