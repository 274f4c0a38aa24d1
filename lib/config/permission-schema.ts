/**
 * The YAML of permissions: `require_approval`, allowlist entries and the `permissions` block of agents and policy.yaml.
 */
import { z } from "zod";
import { durationSchema } from "./duration";
import { jmespathSchema } from "./jmespath";

export const DANGER_LEVELS = ["safe", "low", "medium", "high", "critical"] as const;
export const dangerLevelSchema = z
  .enum(DANGER_LEVELS)
  .describe("How dangerous a call is, from safe (reads only) to critical (destroys)");
export type DangerLevel = z.infer<typeof dangerLevelSchema>;

export const ON_REJECT = ["fail", "recover", "retry", "skip", "degrade"] as const;
export const PERMISSION_MODES = ["default", "plan", "strict", "bypass"] as const;

const WILDCARD_PLACE = 'a "*" may stand only at the end ("crm-read-*"), or alone';

/** An exact name, a prefix followed by `*`, or `*` alone. */
export const toolPatternSchema = z
  .string()
  .min(1, 'name a tool, or a prefix with * such as "crm-read-*"')
  .max(200, "at most 200 characters")
  .refine((pattern) => !pattern.slice(0, -1).includes("*"), WILDCARD_PLACE)
  .refine((pattern) => !/[\s\p{Cc}\p{Cf}]/u.test(pattern), "must not contain spaces or invisible characters")
  .describe('A tool name ("delete-record"), a prefix ("crm-read-*") or "*"');

const roleSchema = z.string().min(1, "name a role or a group").max(100);

/** Longest wait for a decision; after that it is better to ask again with fresh arguments. */
const APPROVAL_TIMEOUT_MAX_MS = 90 * 86_400_000;

export const requireApprovalSchema = z
  .strictObject({
    on_reject: z
      .enum(ON_REJECT)
      .default("fail")
      .describe("What a rejection does: fail ends the step; recover, retry, skip and degrade let the agent go on"),
    timeout: durationSchema({ minMs: 1_000, maxMs: APPROVAL_TIMEOUT_MAX_MS })
      .optional()
      .describe('How long a person has to decide, such as "30m"; without it the call waits'),
    timeout_behavior: z
      .enum(["fail", "reject"], {
        error: 'must be "fail" or "reject"; a call is never approved by the passing of time',
      })
      .default("fail")
      .describe("What the end of the timeout does: fail the step, or treat the call as rejected"),
    when: jmespathSchema({ strictComparisons: true })
      .optional()
      .describe("JMESPath over the arguments; approval is needed unless it is false. An error in it means approval"),
    approvers: z
      .array(roleSchema)
      .min(1, "name at least one role or group, or leave the field out for any reviewer")
      .optional()
      .describe("Roles or groups that may decide; any reviewer without it"),
    min_approvals: z.int().min(1).max(20).default(1).describe("How many different people must approve"),
    self_approval: z.boolean().default(false).describe("May the one who started the run approve its calls"),
    edit: z.boolean().default(true).describe("May reviewers change the arguments before they approve"),
    reason: z.string().min(1).max(500).optional().describe("Why a person is asked; shown to the reviewer"),
    reject_reasons: z.array(z.string().min(1).max(200)).max(20).optional().describe("Reasons that a reviewer can pick"),
    escalate: z
      .strictObject({
        after: durationSchema({ minMs: 1_000, maxMs: APPROVAL_TIMEOUT_MAX_MS }).describe(
          'When to escalate, such as "10m"',
        ),
        to: z
          .array(roleSchema)
          .min(1, "name at least one role or group")
          .describe("Roles or groups that are told, and may decide from then on"),
      })
      .optional()
      .describe("Whom to tell when nobody has decided after a while"),
  })
  .superRefine((rule, context) => {
    if (rule.escalate && rule.timeout !== undefined && rule.escalate.after >= rule.timeout) {
      context.addIssue({
        code: "custom",
        path: ["escalate", "after"],
        message: "must be shorter than timeout, or it never happens",
        input: rule.escalate.after,
      });
    }
  })
  .describe("Calls of this tool wait for a person");
export type RequireApproval = z.infer<typeof requireApprovalSchema>;

export const allowlistEntrySchema = z
  .union([
    toolPatternSchema,
    z.strictObject({
      name: toolPatternSchema,
      require_approval: requireApprovalSchema.optional(),
    }),
  ])
  .describe("A tool the agent may call: a name or prefix, or an object with require_approval");
export type AllowlistEntry = z.infer<typeof allowlistEntrySchema>;

export const allowlistSchema = z
  .array(allowlistEntrySchema)
  .describe("The tools the agent may call; nothing else can be called");

export const permissionRuleSchema = z
  .strictObject({
    tool: toolPatternSchema,
    when: jmespathSchema({ strictComparisons: true })
      .optional()
      .describe("JMESPath over the arguments; without it the rule holds for every call"),
    decision: z.enum(["allow", "deny", "ask"]).describe("What happens to a call that fits"),
    priority: z.int().min(-1_000).max(1_000).default(0).describe("Rules with a higher priority are looked at first"),
    reason: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe("Shown to the reviewer, or to the agent when the call is denied"),
  })
  .describe("One rule of the policy");
export type PermissionRule = z.infer<typeof permissionRuleSchema>;

/** Every field is optional and none has a default, so that an omitted field differs from a stated one. */
export const permissionsSchema = z
  .strictObject({
    mode: z
      .enum(PERMISSION_MODES)
      .optional()
      .describe(
        "default; plan: only tools that read; strict: everything is asked; bypass: everything on the allowlist runs",
      ),
    allow: z.array(toolPatternSchema).optional().describe("Tools that run without asking"),
    deny: z.array(toolPatternSchema).optional().describe("Tools that are refused"),
    rules: z.array(permissionRuleSchema).optional().describe("Rules by tool and arguments, highest priority first"),
    ask_from: dangerLevelSchema.optional().describe("Calls of this danger and above are asked; medium without it"),
    self_approval: z
      .boolean()
      .optional()
      .describe(
        "May the one who started the run accept an answer that waits for a review (`ktsu_needs_human`); false without it. Calls have `require_approval.self_approval`",
      ),
    budget_usd: z
      .number()
      .nonnegative()
      .finite()
      .optional()
      .describe("The most that the tools of one run may cost, in US dollars"),
  })
  .describe("The permission policy: in an agent file for that agent, in policy.yaml for all");
export type Permissions = z.infer<typeof permissionsSchema>;
