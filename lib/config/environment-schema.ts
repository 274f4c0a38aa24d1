import { z } from "zod";
import { nameSchema, variableNameSchema } from "./field-schemas";
import { providerSchema } from "./gateway-schema";

export const environmentSchema = z
  .strictObject({
    name: nameSchema("an environment").describe("Name of the environment; chosen with `KIMITSU_ENV` or `--env`"),
    variables: z
      .record(variableNameSchema, z.union([z.string(), z.number(), z.boolean()]))
      .default({})
      .describe("Values of variables that workflows and the gateway declare; the process environment wins over them"),
    providers: z
      .array(providerSchema)
      .optional()
      .describe("Providers that replace those of the same name in `gateway.yaml`"),
    state: z
      .looseObject({})
      .optional()
      .describe("Accepted from older projects and not used: the database is set by `DATABASE_URL`"),
  })
  .describe("Values that differ between environments");

export type Environment = z.infer<typeof environmentSchema>;
