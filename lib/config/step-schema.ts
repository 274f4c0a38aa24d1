/**
 * The four kinds of step. A step is of the kind whose field it has; `checks/check-steps.ts` ensures that it has exactly
 * one.
 */
import { z } from "zod";
import { nameSchema, schemaHolderSchema } from "./field-schemas";

export const STEP_KINDS = ["agent", "transform", "webhook", "workflow"] as const;
export type StepKind = (typeof STEP_KINDS)[number];

const templatedMap = z.record(z.string(), z.json());

const commonFields = {
  id: nameSchema("a step").describe("Name of the step, unique in the workflow"),
  description: z.string().optional().describe("What the step is for"),
  depends_on: z
    .array(z.string())
    .default([])
    .describe("Steps that must be finished first; references in templates count by themselves"),
  condition: z
    .string()
    .min(1)
    .optional()
    .describe("JMESPath over `step` and `params`; the step is skipped unless it holds"),
  output: schemaHolderSchema.optional().describe("JSON Schema that the step's output must fit"),
};

const forEachSchema = z
  .strictObject({
    from: z.string().min(1).describe("List to go over: `step.ID.FIELD`, `ID`, `ID.FIELD` or a template"),
    concurrency: z.number().int().min(1).max(1_000).optional().describe("Most items at the same time; all if absent"),
    max_items: z
      .number()
      .int()
      .min(1)
      .max(100_000)
      .optional()
      .describe("Items after this many are left out; no limit if absent"),
    max_failures: z
      .number()
      .int()
      .min(-1)
      .default(0)
      .describe("Items that may fail before the step does; -1 for any number"),
  })
  .describe("Runs the step once for each item of a list; its params may use `{{ item }}` and `{{ item_index }}`");

const agentStepSchema = z
  .strictObject({
    ...commonFields,
    agent: z
      .string()
      .min(1)
      .describe("Path of the agent file, relative to the project folder, or to this file if there is none there"),
    params: templatedMap
      .default({})
      .describe("Values of the agent's params; `server.<name>` overrides params of a tool server"),
    model: z
      .strictObject({
        group: z.string().optional().describe("Model group instead of the agent's own"),
        max_tokens: z.number().int().min(1).max(10_000_000).optional().describe("Most tokens of one answer"),
        temperature: z.number().min(0).max(2).optional().describe("Temperature instead of the group's"),
      })
      .optional()
      .describe("Overrides for the model"),
    confidence_threshold: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Below it the agent reflects once, or the step fails"),
    for_each: forEachSchema.optional(),
  })
  .describe("A step that runs an agent");

const exprSchema = z.strictObject({ expr: z.string().min(1).describe("JMESPath over one item") });

const operationSchema = z
  .union([
    z.strictObject({
      merge: z
        .array(z.string())
        .min(1)
        .describe("Deep-merges the outputs of these steps into the data; later ones win"),
    }),
    z.strictObject({ filter: exprSchema.describe("Keeps the items for which the expression holds") }),
    z.strictObject({
      sort: z
        .strictObject({
          field: z.string().min(1).describe("JMESPath of the value to sort by"),
          order: z.enum(["asc", "desc"]).default("asc").describe("`asc` is smallest first"),
        })
        .describe("Sorts the items"),
    }),
    z.strictObject({ map: exprSchema.describe("Replaces each item by the result of the expression") }),
    z.strictObject({ flatten: z.strictObject({}).nullable().describe("Takes lists inside the list apart, one level") }),
    z.strictObject({
      deduplicate: z
        .strictObject({
          field: z.string().min(1).optional().describe("JMESPath of the value to compare; the whole item if absent"),
        })
        .nullable()
        .describe("Keeps the first of equal items"),
    }),
  ])
  .describe("One operation: `merge`, `filter`, `sort`, `map`, `flatten` or `deduplicate`");

const transformStepSchema = z
  .strictObject({
    ...commonFields,
    transform: z
      .strictObject({
        inputs: z
          .array(
            z.strictObject({ from: z.string().min(1).describe("`step.ID.FIELD`, `ID`, `ID.FIELD` or a template") }),
          )
          .default([])
          .describe("Data to begin with; several are deep-merged. The outputs of `depends_on` if absent"),
        ops: z.array(operationSchema).default([]).describe("Operations, from first to last"),
      })
      .describe('Deterministic reshaping; the output is `{"result": …}`'),
  })
  .describe("A step that reshapes data without a model");

const webhookStepSchema = z
  .strictObject({
    ...commonFields,
    webhook: z
      .strictObject({
        url: z.string().min(1).describe("Address; may hold templates, secret ones too"),
        method: z.enum(["GET", "POST", "PUT", "PATCH", "DELETE"]).default("POST").describe("HTTP method"),
        headers: z.record(z.string(), z.string()).default({}).describe("Headers; may hold templates, secret ones too"),
        body: z.json().optional().describe("JSON body; strings in it may hold templates, secret ones too"),
        secret: z
          .string()
          .min(1)
          .optional()
          .describe(
            "Key that the request is signed with (Standard Webhooks): `{{ env.NAME }}` or `{{ params.NAME }}`, marked secret; unsigned if absent",
          ),
        timeout_s: z.number().min(1).max(300).default(30).describe("Longest time in seconds"),
      })
      .describe("One HTTP request"),
  })
  .describe("A step that sends an HTTP request");

const workflowStepSchema = z
  .strictObject({
    ...commonFields,
    workflow: z
      .string()
      .min(1)
      .describe("Path of the workflow file, relative to the project folder, or to this file if there is none there"),
    input: templatedMap.optional().describe("Values of the sub-workflow's params"),
    params: templatedMap.optional().describe("Same as `input`, for older projects; give one of them"),
    webhooks: z
      .enum(["execute", "suppress"])
      .default("suppress")
      .describe("`execute` lets the sub-workflow send its webhooks if it opts in as well"),
    for_each: forEachSchema.optional(),
  })
  .describe("A step that runs another workflow");

export const stepSchema = z
  .union([agentStepSchema, transformStepSchema, webhookStepSchema, workflowStepSchema])
  .describe("One step: exactly one of `agent`, `transform`, `webhook`, `workflow`");

export type Step = z.infer<typeof stepSchema>;
export type AgentStep = z.infer<typeof agentStepSchema>;
export type TransformStep = z.infer<typeof transformStepSchema>;
export type WebhookStep = z.infer<typeof webhookStepSchema>;
export type WorkflowStep = z.infer<typeof workflowStepSchema>;

export function stepKind(step: Step): StepKind {
  if ("agent" in step) return "agent";
  if ("transform" in step) return "transform";
  return "webhook" in step ? "webhook" : "workflow";
}
