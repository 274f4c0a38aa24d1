import canonicalize from "canonicalize";
import { report, type Draft } from "../draft";
import { createSchemaValidator, findForeignReference, findUnknownKeyword, JSON_SCHEMA_KEYWORDS } from "../json-schema";
import { suggest, type ValuePath } from "../problem";
import type { YamlSource } from "../yaml-source";

/** Compiles the JSON Schemas of a project and reports those that cannot be used. */
export class SchemaChecker {
  private readonly ajv = createSchemaValidator();
  /** Many files repeat the same small schemas; compiling is the dearest part of loading a large project. */
  private readonly seen = new Map<string, string | null>();

  constructor(private readonly draft: Draft) {}

  check(source: YamlSource, at: ValuePath, schema: Record<string, unknown>, mustBeObject: boolean): void {
    if (mustBeObject && schema.type !== "object") {
      report(this.draft, source, at, "params are given by name, so their schema must have `type: object`", { hint: "add `type: object` and list them under `properties`" });
      return;
    }
    const reference = findForeignReference(schema, at);
    if (reference !== null) {
      report(this.draft, source, reference.at, `${JSON.stringify(reference.target)} would have to be fetched`, { hint: 'refer to a schema in the same place: "#/$defs/NAME"' });
      return;
    }
    const unknown = findUnknownKeyword(schema, at);
    if (unknown !== null) {
      report(this.draft, source, unknown.at, `unknown JSON Schema keyword ${JSON.stringify(unknown.keyword)}`, { hint: suggest(unknown.keyword, JSON_SCHEMA_KEYWORDS), part: "key" });
      return;
    }
    const message = this.compile(schema);
    if (message !== null) report(this.draft, source, at, `not a valid JSON Schema: ${message}`);
  }

  private compile(schema: Record<string, unknown>): string | null {
    const { $id: _id, ...anonymous } = schema;
    const key = canonicalize(anonymous) ?? "";
    const known = this.seen.get(key);
    if (known !== undefined) return known;
    const message = this.compileOnce(anonymous);
    this.seen.set(key, message);
    return message;
  }

  private compileOnce(schema: Record<string, unknown>): string | null {
    try {
      if (this.ajv.validateSchema(schema) !== true) {
        const [error] = this.ajv.errors ?? [];
        return `${error?.instancePath.slice(1).replaceAll("/", ".") ?? ""} ${error?.message ?? "is wrong"}`.trim();
      }
      this.ajv.compile(schema);
      return null;
    } catch (error) {
      return (error as Error).message;
    } finally {
      this.ajv.removeSchema(schema);
    }
  }
}
