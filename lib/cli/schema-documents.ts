/** JSON Schemas of the files of a project, made from the schemas that the loader itself uses. */
import { z } from "zod";
import { agentSchema } from "@/lib/config/agent-schema";
import { environmentSchema } from "@/lib/config/environment-schema";
import { gatewaySchema } from "@/lib/config/gateway-schema";
import { policySchema } from "@/lib/config/policy-schema";
import { profileSchema } from "@/lib/config/profile-schema";
import { serverSchema, serversSchema } from "@/lib/config/server-schema";
import { workflowSchema } from "@/lib/config/workflow-schema";
import { scriptSchema } from "@/lib/models/script-schema";

export type SchemaDocument = Record<string, unknown>;

const KINDS = {
  workflow: workflowSchema,
  agent: agentSchema,
  server: serverSchema,
  servers: serversSchema,
  gateway: gatewaySchema,
  environment: environmentSchema,
  policy: policySchema,
  profile: profileSchema,
  script: scriptSchema,
} satisfies Record<string, z.ZodType>;

export type SchemaKind = keyof typeof KINDS;
export const SCHEMA_KINDS = Object.keys(KINDS) as SchemaKind[];

/** Draft 7, because that is what YAML editors check against. */
export function createSchemaDocument(kind: SchemaKind): SchemaDocument {
  const schema = z.toJSONSchema(KINDS[kind], {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    reused: "inline",
  }) as SchemaDocument;
  return { ...schema, title: `Kimitsu ${kind}` };
}
