import { z } from "zod";
import { ageSchema } from "./age";
import { envEntrySchema, nameSchema } from "./field-schemas";
import { permissionsSchema } from "./permission-schema";

export const ROLES = ["viewer", "reviewer", "operator", "admin"] as const;

/** Roles that may decide about calls; a rule that names another role would wait for ever. */
export const DECIDING_ROLES = ["reviewer", "operator", "admin"] as const satisfies readonly (typeof ROLES)[number][];

/** What a channel can be notified of, by the names of the event log. */
export const CHANNEL_EVENTS = [
  "approval.requested",
  "approval.escalated",
  "approval.expired",
  "approval.decided",
  "call.outcome_unknown",
  "run.failed",
  "run.needs_human_review",
] as const;

const groupSchema = z
  .strictObject({
    description: z.string().optional().describe("Who the group is, for people who look for someone to decide"),
    members: z
      .array(z.string().regex(/^[^\s@]+@[^\s@]+$/, "expected an e-mail address"))
      .default([])
      .describe("Members by e-mail address; more can be added in the console"),
  })
  .describe("People who may decide together");

const channelFields = {
  name: nameSchema("a channel").describe("Name of the channel"),
  events: z
    .array(z.enum(CHANNEL_EVENTS))
    .min(1)
    .default(["approval.requested", "approval.escalated"])
    .describe("What is sent; messages carry a link and no arguments"),
  groups: z
    .array(z.string().min(1))
    .optional()
    .describe("Only approvals that these groups or roles may decide; all if absent"),
};

export const channelSchema = z
  .discriminatedUnion("type", [
    z.strictObject({
      ...channelFields,
      type: z.literal("slack").describe("Slack"),
      url: z.string().min(1).describe("Incoming webhook: `{{ env.NAME }}` of a variable marked secret"),
    }),
    z.strictObject({
      ...channelFields,
      type: z.literal("email").describe("E-mail, over the mail server of the deployment"),
      to: z
        .array(z.email("expected an e-mail address"))
        .optional()
        .describe("Addresses; the people who may decide, if absent"),
    }),
    z.strictObject({
      ...channelFields,
      type: z.literal("webhook").describe("A signed HTTP request"),
      url: z.string().min(1).describe("Address; `{{ env.NAME }}` is allowed"),
      secret: z.string().min(1).describe("Key of the signature: `{{ env.NAME }}` of a variable marked secret"),
    }),
    z.strictObject({
      ...channelFields,
      type: z.literal("browser").describe("Desktop notifications of signed-in people"),
    }),
  ])
  .describe("Where people are told that they are needed");

const retentionSchema = z
  .strictObject({
    runs: ageSchema()
      .optional()
      .describe("How long a run stays in lists and on its page after its end, such as `90d`; for ever if absent"),
    audit: ageSchema()
      .optional()
      .describe(
        "How long the audit trail stays in the database, such as `7y`; then each month goes to a signed file; for ever if absent",
      ),
  })
  .describe("How long is kept what is over");

export const policySchema = z
  .strictObject({
    env: z.array(envEntrySchema).default([]).describe("Variables that channels use"),
    permissions: permissionsSchema
      .optional()
      .describe("Permission policy of every agent; an agent can only tighten it"),
    groups: z
      .record(nameSchema("a group"), groupSchema)
      .default({})
      .describe("Groups that `approvers` and `escalate.to` can name"),
    channels: z.array(channelSchema).default([]).describe("Notification channels"),
    retention: retentionSchema.optional().describe("How long is kept what is over; everything for ever if absent"),
  })
  .describe("Rules for the whole project: permissions, groups, notification channels, retention");

export type Policy = z.infer<typeof policySchema>;
