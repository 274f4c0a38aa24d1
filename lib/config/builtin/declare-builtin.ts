/** A tool server that is part of Kimitsu, described as a server file would describe it. */
import type { z } from "zod";
import type { Server } from "@/lib/config/server-schema";

export interface BuiltinServer<Params extends z.ZodObject = z.ZodObject> {
  definition: Server;
  /** The types of its params, checked when the project is read and again when the server is opened. */
  params: Params;
}

interface Declaration<Params extends z.ZodObject> {
  name: string;
  description: string;
  timeoutMs: number;
  params: Params;
  tools: Server["tools"];
}

/** Descriptions and defaults of the params are those of the schema. None of them is secret. */
export function declareBuiltin<Params extends z.ZodObject>(facts: Declaration<Params>): BuiltinServer<Params> {
  const { name, description, timeoutMs, params, tools } = facts;
  const entries = Object.entries(params.shape as Record<string, z.ZodType>);
  return {
    params,
    definition: {
      name,
      description,
      transport: "http",
      list_auth: "auth",
      params: Object.fromEntries(entries.map(([param, schema]) => [param, describeParam(schema)])),
      params_transport: "meta",
      timeout: timeoutMs,
      required: true,
      refresh: 3_600_000,
      tools,
    },
  };
}

function describeParam(schema: z.ZodType): Server["params"][string] {
  const { def } = schema as unknown as { def: { type: string; defaultValue?: z.core.util.JSONType } };
  return {
    secret: false,
    ...(schema.description !== undefined && { description: schema.description }),
    ...(def.type === "default" && { default: def.defaultValue }),
  };
}
