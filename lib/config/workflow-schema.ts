import { z } from "zod";
import { envEntrySchema, nameSchema, schemaHolderSchema, jsonSchemaSchema } from "./field-schemas";
import { stepSchema } from "./step-schema";

const invokeSchema = z
  .strictObject({
    auth: z
      .strictObject({
        header: z.string().min(1).default("Authorization").describe("Header that callers send"),
        scheme: z.enum(["bearer", "raw"]).default("bearer").describe('`bearer` expects "Bearer " before the secret'),
        secret: z.string().min(1).describe("`{{ env.NAME }}` of a variable marked secret"),
      })
      .describe("A secret that callers may send instead of an API token"),
  })
  .describe("How `POST /invoke/{name}` is authenticated");

const modelPolicySchema = z
  .strictObject({
    cost_budget_usd: z
      .number()
      .positive()
      .optional()
      .describe("Most that one run may cost; reaching it fails the run with `budget_exceeded`"),
    force_group: z.string().optional().describe("Model group for every agent of the run, whatever its file says"),
    group_map: z
      .record(z.string(), z.string())
      .optional()
      .describe("Model groups to replace by others: `frontier: standard`"),
    timeout_s: z
      .number()
      .positive()
      .max(86_400 * 30)
      .optional()
      .describe("Longest time of one run in seconds, waiting for people not counted"),
  })
  .describe("Limits on models for the whole run");

const outputSchema = z
  .strictObject({
    from: z
      .string()
      .min(1)
      .optional()
      .describe("Step whose output is the workflow's: `ID`, `ID.FIELD` or `step.ID.FIELD`"),
    map: z.record(z.string(), z.json()).optional().describe("Output put together from templates"),
    schema: jsonSchemaSchema.optional().describe("JSON Schema that the output must fit"),
  })
  .describe("What the workflow gives; without it the outputs of all steps, by id");

export const workflowSchema = z
  .strictObject({
    kind: z.literal("workflow").describe("Always `workflow`"),
    name: nameSchema("a workflow").describe("Name of the workflow, as in `POST /invoke/{name}`"),
    version: z.string().min(1).optional().describe('Version that stands on every run, such as `"1.2.0"`'),
    description: z.string().optional().describe("What the workflow does"),
    visibility: z
      .enum(["root", "sub-workflow"])
      .default("root")
      .describe("`sub-workflow` can only be used by other workflows"),
    params: schemaHolderSchema.optional().describe("JSON Schema of what a run is started with"),
    env: z.array(envEntrySchema).default([]).describe("Variables that the workflow uses; only in root workflows"),
    invoke: invokeSchema.optional(),
    webhooks: z
      .enum(["execute", "suppress"])
      .default("suppress")
      .describe("Whether its webhooks are sent when it runs as a sub-workflow; the parent must opt in too"),
    pipeline: z
      .array(stepSchema)
      .min(1, "a workflow needs at least one step")
      .describe("Steps; order comes from what they depend on"),
    output: outputSchema.optional(),
    model_policy: modelPolicySchema.optional(),
  })
  .describe("A pipeline of steps");

export type Workflow = z.infer<typeof workflowSchema>;
