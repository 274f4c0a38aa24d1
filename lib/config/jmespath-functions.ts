/**
 * Functions that the library gets wrong or leaves unbounded, written as the specification says. Wrong: numbers sorted
 * as text, text ordered by locale, `max_by` over text, `contains` by identity, `to_number` beyond JSON numbers, keys
 * such as `__proto__`. Unbounded: everything that can grow a string, and `trim`, whose patterns backtrack.
 */
import type { EvaluationBudget } from "./jmespath-budget";
import { JmespathError } from "./jmespath-error";

type Arguments = unknown[];
type Key = (element: unknown) => string | number;
export type MakeKey = (expression: unknown) => Key;
type Table = Record<string, (values: Arguments) => unknown>;

export function correctedFunctions(budget: EvaluationBudget, makeKey: MakeKey): Table {
  return { ...orderingFunctions(makeKey), ...textFunctions(budget), ...valueFunctions(budget, makeKey) };
}

function orderingFunctions(makeKey: MakeKey): Table {
  return {
    sort: ([list]) => (list as (string | number)[]).toSorted(compare),
    sort_by: ([list, expression]) => sortBy(list as unknown[], makeKey(expression)),
    max: ([list]) => extreme(list as unknown[], (element) => element as string | number, 1),
    min: ([list]) => extreme(list as unknown[], (element) => element as string | number, -1),
    max_by: ([list, expression]) => extreme(list as unknown[], makeKey(expression), 1),
    min_by: ([list, expression]) => extreme(list as unknown[], makeKey(expression), -1),
  };
}

function textFunctions(budget: EvaluationBudget): Table {
  const pad = (values: Arguments, side: "padStart" | "padEnd") => {
    const [subject, width, filler = " "] = values as [string, number, string?];
    if (!Number.isInteger(width) || width < 0)
      throw new JmespathError("evaluation", "the width of a pad must be a whole number");
    if ([...filler].length !== 1) throw new JmespathError("evaluation", "a pad is filled with exactly one character");
    budget.string(width);
    return subject[side](subject.length + Math.max(0, width - [...subject].length) * filler.length, filler);
  };
  const trim = ([subject, characters]: Arguments, sides: "both" | "left" | "right") =>
    trimText(subject as string, characters as string | undefined, sides);
  return {
    pad_left: (values) => pad(values, "padStart"),
    pad_right: (values) => pad(values, "padEnd"),
    trim: (values) => trim(values, "both"),
    trim_left: (values) => trim(values, "left"),
    trim_right: (values) => trim(values, "right"),
    replace: (values) => replaceText(budget, values as [string, string, string, number?]),
    join: ([glue, list]) => {
      const parts = list as string[];
      budget.string(parts.reduce((sum, part) => sum + part.length + (glue as string).length, 0));
      return parts.join(glue as string);
    },
    reverse: ([value]) =>
      typeof value === "string" ? [...value].reverse().join("") : (value as unknown[]).toReversed(),
    to_string: ([value]) => (typeof value === "string" ? value : stringify(budget, value)),
    to_number: ([value]) => toNumber(value),
  };
}

function valueFunctions(budget: EvaluationBudget, makeKey: MakeKey): Table {
  return {
    contains: ([subject, wanted]) =>
      Array.isArray(subject)
        ? subject.some((element) => budget.equal(element, wanted))
        : typeof wanted === "string" && (subject as string).includes(wanted),
    merge: (objects) => Object.fromEntries(objects.flatMap((object) => Object.entries(object as object))),
    group_by: ([list, expression]) => groupBy(list as unknown[], makeKey(expression)),
  };
}

/** Numbers by size, text by code point; the callers have made sure that all are of one type. */
function compare(left: string | number, right: string | number): number {
  if (typeof left === "number" || typeof right === "number") return Number(left) - Number(right);
  const [leftPoints, rightPoints] = [[...left], [...right]];
  for (let index = 0; index < Math.min(leftPoints.length, rightPoints.length); index += 1) {
    const difference = (leftPoints[index]?.codePointAt(0) ?? 0) - (rightPoints[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return leftPoints.length - rightPoints.length;
}

function keyed(list: unknown[], key: Key) {
  const pairs = list.map((element) => ({ element, key: key(element) }));
  if (new Set(pairs.map((pair) => typeof pair.key)).size > 1) {
    throw new JmespathError("evaluation", "Invalid type: the keys must be all numbers or all strings");
  }
  return pairs;
}

function sortBy(list: unknown[], key: Key): unknown[] {
  return keyed(list, key)
    .sort((left, right) => compare(left.key, right.key))
    .map((pair) => pair.element);
}

function extreme(list: unknown[], key: Key, sign: 1 | -1): unknown {
  const pairs = keyed(list, key);
  if (pairs.length === 0) return null;
  return pairs.reduce((best, pair) => (compare(pair.key, best.key) * sign > 0 ? pair : best)).element;
}

/** Collected in a map first, so that an element with the key `__proto__` is an entry like any other. */
function groupBy(list: unknown[], key: Key): unknown {
  const groups = new Map<string, unknown[]>();
  for (const element of list) {
    const name = key(element);
    if (typeof name !== "string")
      throw new JmespathError("evaluation", "Invalid type: group_by() needs keys that are strings");
    const group = groups.get(name);
    if (group) group.push(element);
    else groups.set(name, [element]);
  }
  return Object.fromEntries(groups);
}

function trimText(subject: string, characters: string | undefined, sides: "both" | "left" | "right"): string {
  const points = [...subject];
  const drops = characters ? new Set(characters) : null;
  const isDropped = (point: string | undefined) =>
    point !== undefined && (drops ? drops.has(point) : /[\s\u0085]/.test(point));
  let start = 0;
  let end = points.length;
  while (sides !== "right" && start < end && isDropped(points[start])) start += 1;
  while (sides !== "left" && end > start && isDropped(points[end - 1])) end -= 1;
  return points.slice(start, end).join("");
}

function replaceText(
  budget: EvaluationBudget,
  [subject, wanted, replacement, count]: [string, string, string, number?],
): string {
  if (count !== undefined && (!Number.isInteger(count) || count < 0)) {
    throw new JmespathError("evaluation", "the count of a replace must be a whole number");
  }
  const parts = wanted === "" ? ["", ...subject, ""] : subject.split(wanted);
  const times = Math.min(parts.length - 1, count ?? Number.POSITIVE_INFINITY);
  budget.spend(parts.length);
  budget.string(subject.length + times * replacement.length);
  return (
    parts.slice(0, times + 1).join(replacement) +
    parts
      .slice(times + 1)
      .map((part) => wanted + part)
      .join("")
  );
}

/** Counts before it writes: a value with shared parts can be small in memory and huge as text. */
function stringify(budget: EvaluationBudget, value: unknown): string {
  const count = (current: unknown): void => {
    budget.spend();
    if (typeof current === "string") budget.spend(Math.ceil(current.length / 100));
    else if (current !== null && typeof current === "object") Object.values(current).forEach(count);
  };
  count(value);
  const text = JSON.stringify(value);
  budget.string(text.length);
  return text;
}

function toNumber(value: unknown): number | null {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || !/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(value)) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
