/** The operations of a transform step: deterministic, on plain data, never modifying its input. */
import canonicalize from "canonicalize";
import { compile, isTruthy } from "@/lib/config/jmespath";
import type { TransformStep } from "@/lib/config/step-schema";

type Operation = TransformStep["transform"]["ops"][number];

/**
 * Several inputs are deep-merged, later ones win; lists are concatenated. `outputs` are those of the steps, for
 * `merge`.
 */
export function applyTransform(
  inputs: unknown[],
  ops: readonly Operation[],
  outputs: Readonly<Record<string, unknown>>,
): unknown {
  return ops.reduce((data, op) => applyOperation(data, op, outputs), deepMerge(inputs));
}

function applyOperation(data: unknown, op: Operation, outputs: Readonly<Record<string, unknown>>): unknown {
  if ("merge" in op)
    return deepMerge(
      [data, ...op.merge.map((step) => outputs[step])].filter((value) => value !== undefined && value !== null),
    );
  if ("map" in op) {
    const expression = compile(op.map.expr);
    return Array.isArray(data) ? data.map((item) => expression.evaluate(item)) : expression.evaluate(data);
  }
  const list = toList(data, Object.keys(op)[0] ?? "");
  if ("filter" in op) {
    const expression = compile(op.filter.expr);
    return list.filter((item) => isTruthy(expression.evaluate(item)));
  }
  if ("sort" in op) {
    const expression = compile(op.sort.field);
    const direction = op.sort.order === "desc" ? -1 : 1;
    const keyed = list.map((item) => ({ item, key: expression.evaluate(item) }));
    return keyed.toSorted((left, right) => direction * compareKeys(left.key, right.key)).map(({ item }) => item);
  }
  if ("flatten" in op) return list.flat();
  const field = op.deduplicate?.field;
  const expression = field === undefined ? null : compile(field);
  const seen = new Set<string>();
  return list.filter((item) => {
    const key = canonicalize(expression ? expression.evaluate(item) : item) ?? "null";
    return !seen.has(key) && seen.add(key);
  });
}

function toList(data: unknown, operation: string): unknown[] {
  if (Array.isArray(data)) return data;
  // The only list inside an object is used when the data came from a fan-out: {"results": […]}.
  const lists = data !== null && typeof data === "object" ? Object.values(data).filter(Array.isArray) : [];
  if (lists.length === 1) return lists[0] as unknown[];
  throw new Error(`${operation} needs a list; the data is ${data === null ? "null" : typeof data}`);
}

/**
 * Numbers by size, then texts by their code points, then everything else by its canonical form; absent values come
 * last.
 */
function compareKeys(left: unknown, right: unknown): number {
  if (left === null || left === undefined || right === null || right === undefined)
    return Number(left === null || left === undefined) - Number(right === null || right === undefined);
  if (typeof left === "number" && typeof right === "number") return left - right;
  const [a, b] = [left, right].map((value) => (typeof value === "string" ? value : (canonicalize(value) ?? "")));
  return (a ?? "") < (b ?? "") ? -1 : (a ?? "") > (b ?? "") ? 1 : 0;
}

export function deepMerge(values: unknown[]): unknown {
  return values.reduce<unknown>((merged, value) => mergeTwo(merged, value), undefined) ?? null;
}

function mergeTwo(left: unknown, right: unknown): unknown {
  if (left === undefined) return right;
  if (Array.isArray(left) && Array.isArray(right)) return [...left, ...right];
  if (!isObject(left) || !isObject(right)) return right;
  const merged: Record<string, unknown> = { ...left };
  for (const [key, value] of Object.entries(right)) {
    if (key !== "__proto__") merged[key] = Object.hasOwn(merged, key) ? mergeTwo(merged[key], value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
