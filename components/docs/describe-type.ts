import { refName, type Schema } from "./api-document";

/** A schema's type in a few words: `string, date-time`, `array of TrailEvent`, `"a" or "b"`, `string or null`. */
export function describeType(schema: Schema): string {
  if (schema.$ref) return refName(schema.$ref);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return joinOr(schema.enum.map((value) => JSON.stringify(value)));
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return joinOr(variants.map(describeType));
  if (schema.allOf) return schema.allOf.map(describeType).join(" and ");
  if (Array.isArray(schema.type)) return joinOr(schema.type.map((type) => describeType({ ...schema, type })));
  if (schema.type === "array") return `array of ${schema.items ? describeType(schema.items) : "anything"}`;
  if (!schema.type) return schema.properties ? "object" : "anything";
  return schema.format ? `${schema.type}, ${schema.format}` : schema.type;
}

/** Bounds and the default, each in words; those that say nothing (the largest safe number) are left out. */
export function describeLimits(schema: Schema): string[] {
  const limits: string[] = [];
  const bound = (value: number | undefined, words: (value: number) => string) => {
    if (value !== undefined && Math.abs(value) !== Number.MAX_SAFE_INTEGER) limits.push(words(value));
  };
  bound(schema.minimum, (value) => `at least ${value}`);
  bound(schema.maximum, (value) => `at most ${value}`);
  bound(schema.minLength, (value) => `at least ${value} characters`);
  bound(schema.maxLength, (value) => `at most ${value} characters`);
  bound(schema.minItems, (value) => `at least ${value} items`);
  bound(schema.maxItems, (value) => `at most ${value} items`);
  if (schema.default !== undefined) limits.push(`default ${JSON.stringify(schema.default)}`);
  return limits;
}

function joinOr(words: readonly string[]): string {
  return [...new Set(words)].join(" or ");
}
