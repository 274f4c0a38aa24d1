/** Finds the part of a zod schema that describes the value at a path. */
import { globalRegistry } from "zod";
import type { z } from "zod";
import type { ValuePath } from "./problem";

type Schema = z.core.$ZodType;

interface Found {
  schema: Schema;
  description: string | undefined;
}

/**
 * The fields allowed in the mapping at a path. Of a union, those of the branch that shares most fields with what was
 * written.
 */
export function knownFieldsAt(schema: Schema, path: ValuePath, given: unknown): string[] {
  const objects = findAt(schema, path).filter((found) => definition(found.schema).type === "object");
  const keys = given !== null && typeof given === "object" ? Object.keys(given) : [];
  const shapes = objects.map((object) => Object.keys(definition(object.schema).shape as Record<string, Schema>));
  const countShared = (shape: string[]) => shape.filter((key) => keys.includes(key)).length;
  const most = Math.max(0, ...shapes.map(countShared));
  return [...new Set(shapes.filter((shape) => countShared(shape) === most).flat())];
}

/**
 * The other fields of the mapping at a path that no branch of the union allows together with this one. Empty for a
 * field that is known nowhere.
 */
export function rivalsAt(schema: Schema, path: ValuePath, given: unknown, key: string): string[] {
  const objects = findAt(schema, path).filter((found) => definition(found.schema).type === "object");
  const homes = objects
    .map((object) => Object.keys(definition(object.schema).shape as Record<string, Schema>))
    .filter((shape) => shape.includes(key));
  if (homes.length === 0 || given === null || typeof given !== "object") return [];
  return Object.keys(given).filter((other) => other !== key && !homes.some((shape) => shape.includes(other)));
}

export function descriptionAt(schema: Schema, path: ValuePath): string | undefined {
  return findAt(schema, path).find((found) => found.description !== undefined)?.description;
}

export function definition(schema: Schema): { type: string } & Record<string, unknown> {
  return schema._zod.def as unknown as { type: string } & Record<string, unknown>;
}

/** The description of the outermost wrapper counts: `z.string().optional().describe(…)` attaches it to the optional. */
function findAt(schema: Schema, path: ValuePath, outer?: string): Found[] {
  const inner = definition(schema);
  const description = outer ?? globalRegistry.get(schema)?.description;
  switch (inner.type) {
    case "optional":
    case "default":
    case "prefault":
    case "nullable":
      return findAt(inner.innerType as Schema, path, description);
    case "pipe":
      return findAt(inner.in as Schema, path, description);
    case "lazy":
      return findAt((inner.getter as () => Schema)(), path, description);
    case "union":
      return (inner.options as Schema[]).flatMap((option) =>
        findAt(option, path, path.length === 0 ? undefined : description),
      );
  }
  if (path.length === 0) return [{ schema, description }];
  const [step, ...rest] = path;
  if (inner.type === "object") {
    const shape = inner.shape as Record<string, Schema>;
    return Object.hasOwn(shape, String(step)) ? findAt(shape[String(step)]!, rest) : [];
  }
  if (inner.type === "array") return findAt(inner.element as Schema, rest);
  return inner.type === "record" ? findAt(inner.valueType as Schema, rest) : [];
}
