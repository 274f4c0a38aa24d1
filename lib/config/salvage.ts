/**
 * Makes the rest of a file readable when a part does not fit its schema, so that one mistake hides no other. What is
 * wrong is left out or replaced by something valid; those places are returned, and nothing more is reported about them.
 */
import type { z } from "zod";
import { findNearest, formatPath, type ValuePath } from "./problem";
import type { FileKind } from "./project-files";
import type { YamlSource } from "./yaml-source";
import { flattenUnion, type PlacedIssue, valueAt } from "./zod-problems";
import { knownFieldsAt } from "./zod-walk";

export interface Salvaged {
  definition: unknown;
  repaired: ValuePath[];
}

/** A file with more mistakes than this is probably another kind of file. */
const ISSUES_MAX = 200;
const ROUNDS_MAX = 60;

/** Tried in turn where a field is required: one of them is valid for most fields. */
const STAND_INS: readonly unknown[] = [
  "unknown",
  "unknown/unknown",
  "https://unknown.invalid",
  "1m",
  1,
  true,
  {},
  [],
  ["unknown"],
  ["unknown/unknown"],
  null,
];
/** Accepts any params, because what the file declares is not known. */
const OPEN_PARAMS = { schema: { type: "object", additionalProperties: true } };

/** Null when too much of the file is wrong. `unclear` are the steps that are of no single kind. */
export function salvage(
  source: YamlSource,
  schema: z.ZodType,
  kind: FileKind,
  unclear: ReadonlySet<number>,
): Salvaged | null {
  const repair = new Repair(structuredClone(source.value), schema, kind);
  for (const index of unclear) repair.replaceStep(index);
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parsed = schema.safeParse(repair.value);
    if (parsed.success) return { definition: parsed.data, repaired: repair.places };
    const issues = parsed.error.issues.flatMap((issue) => flattenUnion(issue, [], { value: repair.value }));
    if (issues.length > ISSUES_MAX || !issues.every((issue) => repair.mend(issue))) return null;
  }
  return null;
}

class Repair {
  readonly places: ValuePath[] = [];
  private readonly tries = new Map<string, number>();

  constructor(
    readonly value: unknown,
    private readonly schema: z.ZodType,
    private readonly kind: FileKind,
  ) {}

  private get hasOpenParams(): boolean {
    return this.kind === "agent" || this.kind === "workflow";
  }

  /** False when nothing can be done. */
  mend({ issue, path }: PlacedIssue): boolean {
    if (issue.code !== "unrecognized_keys")
      return this.replace(path, issue.code === "invalid_value" ? issue.values : []);
    const given = valueAt(this.value, path);
    const known = knownFieldsAt(this.schema, path, given).filter((name) => !Object.hasOwn(given as object, name));
    for (const key of issue.keys) {
      delete (given as Record<string, unknown>)[key];
      const meant = findNearest(key, known);
      this.places.push([...path, key], ...(meant === undefined ? [] : [[...path, meant]]));
      if (path.length === 0 && meant === "params" && this.hasOpenParams) this.put(["params"], OPEN_PARAMS);
    }
    return true;
  }

  /** The replacement is a step whose agent cannot be found: its output is unknown, and its name stays. */
  replaceStep(index: number): void {
    const given = valueAt(this.value, ["pipeline", index]) as Record<string, unknown>;
    const isNamed = typeof given?.id === "string";
    const fields = Object.keys({ agent: "", ...given }).filter((field) => field !== "id");
    this.put(["pipeline", index], { id: isNamed ? given.id : `unknown-${index}`, agent: "agents/unknown.agent.yaml" });
    this.places.push(...(isNamed ? fields.map((field) => ["pipeline", index, field]) : [["pipeline", index]]));
  }

  private replace(path: ValuePath, allowed: readonly unknown[]): boolean {
    if (path.length === 0) return false;
    this.places.push(path);
    if (path[0] === "params" && this.hasOpenParams) return this.put(["params"], OPEN_PARAMS);
    const holder = valueAt(this.value, path.slice(0, -1));
    const tries = this.tries.get(formatPath(path)) ?? 0;
    this.tries.set(formatPath(path), tries + 1);
    if (
      tries === 0 &&
      !Array.isArray(holder) &&
      holder !== null &&
      typeof holder === "object" &&
      Object.hasOwn(holder, String(path.at(-1)))
    ) {
      delete (holder as Record<string, unknown>)[String(path.at(-1))];
      return true;
    }
    const standIns = [...allowed, ...STAND_INS];
    if (tries < standIns.length) return this.put(path, standIns[tries]);
    if (path[0] === "pipeline" && path.length <= 3 && typeof path[1] === "number") {
      this.replaceStep(path[1]);
      return true;
    }
    return this.replace(path.slice(0, -1), []);
  }

  private put(path: ValuePath, value: unknown): boolean {
    const holder = valueAt(this.value, path.slice(0, -1));
    if (holder === null || typeof holder !== "object") return false;
    (holder as Record<string | number, unknown>)[path.at(-1)!] =
      typeof value === "object" ? structuredClone(value) : value;
    return true;
  }
}
