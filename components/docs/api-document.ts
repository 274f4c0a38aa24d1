/** The parts of OpenAPI 3.1 and JSON Schema that the reference shows. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  properties?: Record<string, Schema>;
  required?: readonly string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

interface Content {
  [mediaType: string]: { schema?: Schema };
}

export interface ApiOperation {
  operationId: string;
  tags?: readonly string[];
  summary?: string;
  description?: string;
  parameters?: readonly Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description: string; content?: Content }>;
  "x-permission"?: string;
}

export interface ApiDocument {
  info: { title: string; version: string; description?: string };
  tags?: readonly { name: string; description?: string }[];
  paths: Record<string, Record<string, ApiOperation>>;
  components?: { schemas?: Record<string, Schema> };
}

export type Schemas = Readonly<Record<string, Schema>>;

/**
 * Follows references until something is described; a reference to nothing is a fault of the document and shows as
 * anything.
 */
export function resolveSchema(schema: Schema, schemas: Schemas): Schema {
  let current = schema;
  for (const seen = new Set<string>(); current.$ref && !seen.has(current.$ref);) {
    seen.add(current.$ref);
    current = schemas[refName(current.$ref)] ?? {};
  }
  return current;
}

export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
