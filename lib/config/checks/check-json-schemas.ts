import type { ErrorObject } from "ajv";
import canonicalize from "canonicalize";
import { report, type Draft } from "@/lib/config/draft";
import {
  createSchemaValidator,
  findForeignReference,
  findUnknownKeyword,
  JSON_SCHEMA_KEYWORDS,
} from "@/lib/config/json-schema";
import { suggest, type ValuePath } from "@/lib/config/problem";
import type { YamlSource } from "@/lib/config/yaml-source";
import { describe, valueAt } from "@/lib/config/zod-problems";
import { listInvalidValues } from "./list-invalid-values";

/** Compiles the JSON Schemas of a project and reports those that cannot be used. */
export class SchemaChecker {
  // The meta-schema is checked below, for its errors; compiling only shows whether it is possible, so the code need not
  // be fast.
  private readonly ajv = createSchemaValidator({ validateSchema: false, code: { optimize: false } });
  /** Many files repeat the same small schemas; compiling is the most expensive part of loading a large project. */
  private readonly seen = new Map<string, Mistake[]>();

  constructor(private readonly draft: Draft) {}

  check(source: YamlSource, at: ValuePath, schema: Record<string, unknown>, mustBeObject: boolean): void {
    if (mustBeObject && schema.type !== "object") {
      report(this.draft, source, at, "params are given by name, so their schema must have `type: object`", {
        hint: "add `type: object` and list them under `properties`",
      });
      return;
    }
    const reference = findForeignReference(schema, at);
    if (reference !== null) {
      report(this.draft, source, reference.at, `${JSON.stringify(reference.target)} would have to be fetched`, {
        hint: 'refer to a schema in the same place: "#/$defs/NAME"',
      });
      return;
    }
    const unknown = findUnknownKeyword(schema, at);
    if (unknown !== null) {
      report(this.draft, source, unknown.at, `unknown JSON Schema keyword ${JSON.stringify(unknown.keyword)}`, {
        hint: suggest(unknown.keyword, JSON_SCHEMA_KEYWORDS),
        part: "key",
      });
      return;
    }
    for (const mistake of this.compile(schema))
      report(this.draft, source, [...at, ...mistake.at], mistake.message, { hint: mistake.hint });
  }

  private compile(schema: Record<string, unknown>): Mistake[] {
    const { $id: _id, ...anonymous } = schema;
    const key = canonicalize(anonymous) ?? "";
    const known = this.seen.get(key);
    if (known !== undefined) return known;
    const mistakes = this.compileOnce(anonymous);
    this.seen.set(key, mistakes);
    return mistakes;
  }

  private compileOnce(schema: Record<string, unknown>): Mistake[] {
    try {
      if (this.ajv.validateSchema(schema) !== true) return [explainMistake(schema, this.ajv.errors?.[0])];
      this.ajv.compile(schema);
    } catch (error) {
      return [{ at: [], message: `not a valid JSON Schema: ${(error as Error).message}` }];
    } finally {
      this.ajv.removeSchema(schema);
    }
    return listInvalidValues(this.ajv, schema);
  }
}

export interface Mistake {
  /** Inside of the schema. */
  at: ValuePath;
  message: string;
  hint?: string | undefined;
}

function explainMistake(schema: unknown, error: ErrorObject | undefined): Mistake {
  const at = (error?.instancePath ?? "")
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const allowed: unknown = error?.params.allowedValues;
  if (!Array.isArray(allowed))
    return { at, message: `not a valid JSON Schema: ${at.at(-1) ?? "it"} ${error?.message ?? "is wrong"}` };
  const value = valueAt(schema, at);
  return {
    at,
    message: `not a valid JSON Schema: ${describe(value)} is not allowed`,
    hint: suggest(typeof value === "string" ? value : "", allowed.map(String), "allowed"),
  };
}
