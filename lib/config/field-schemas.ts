/** Fields that several kinds of file share. */
import { z } from "zod";

/** Part of the model-facing tool name `mcp__<server>__<tool>`, so underscores are not allowed. */
export const serverNameSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/,
    'a server name has only lower-case letters, digits and hyphens, such as "wiki-search"',
  )
  .describe("Name of the tool server: lower-case letters, digits and hyphens");

/** Names of agents, workflows, groups and environments appear in addresses and on cards. */
export function nameSchema(what: string) {
  return z
    .string()
    .regex(
      /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/,
      `the name of ${what} has letters, digits, hyphens and underscores, begins and ends with a letter or digit, and has at most 64 characters`,
    );
}

export const variableNameSchema = z
  .string()
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of a variable has letters, digits and underscores, such as "CRM_KEY"');

export const envEntrySchema = z
  .strictObject({
    name: variableNameSchema.describe(
      "Name of the variable; read from the process environment, then from the environment file",
    ),
    secret: z
      .boolean()
      .default(false)
      .describe("True: the value is shown nowhere and may only flow into places that are marked secret too"),
    description: z.string().optional().describe("What the variable is for"),
    default: z
      .string()
      .optional()
      .describe("Value when neither the process environment nor the environment file has one"),
  })
  .describe("A declared variable");

export type EnvEntry = z.infer<typeof envEntrySchema>;

/** Whether it is a schema at all is checked by compiling it, which gives better messages than a schema of schemas. */
export const jsonSchemaSchema = z
  .record(z.string(), z.unknown())
  .describe("JSON Schema (2020-12). `secret: true` marks a property whose value is never shown");

export type JsonSchema = z.infer<typeof jsonSchemaSchema>;

export const schemaHolderSchema = z.strictObject({ schema: jsonSchemaSchema });

export const httpUrlSchema = z
  .string()
  .regex(/^https?:\/\/[^\s/]/i, "expected an address that begins with https:// or http://");
