/** Names and descriptions of a tool's parameters, nested ones included, for search. Pure. */

/** A schema is the server's to write; what lies deeper or comes later is not searched. */
const DEPTH_MAX = 6;
const SCHEMAS_MAX = 300;

export interface ParameterText {
  names: string[];
  /** Descriptions, titles, and values that are allowed. */
  texts: string[];
}

export function describeParameters(inputSchema: Readonly<Record<string, unknown>>): ParameterText {
  const found: ParameterText = { names: [], texts: [] };
  let left = SCHEMAS_MAX;
  const visit = (schema: unknown, depth: number): void => {
    if (depth > DEPTH_MAX || left <= 0 || !isRecord(schema)) return;
    left -= 1;
    // The whole object is described by the tool itself.
    if (depth > 0)
      for (const text of [schema.description, schema.title]) if (typeof text === "string") found.texts.push(text);
    for (const value of toList(schema.enum)) if (typeof value === "string") found.texts.push(value);
    if (isRecord(schema.properties))
      for (const [name, property] of Object.entries(schema.properties)) {
        found.names.push(name);
        visit(property, depth + 1);
      }
    for (const child of [schema.items, ...toList(schema.anyOf), ...toList(schema.oneOf), ...toList(schema.allOf)])
      visit(child, depth + 1);
  };
  visit(inputSchema, 0);
  return found;
}

const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
