/**
 * `{{ … }}` in strings, nested anywhere in a JSON value. A string that is one expression keeps the type of what it
 * names; mixed text becomes a string. Nothing is ever rendered as "undefined", and a secret stays a reference.
 */
import { isSecret, listSecrets, SecretRef } from "./secret-ref";
import {
  parseTemplateText,
  type TemplateExpression,
  type TemplatePart,
  type TemplateRoot,
  WORKFLOW_ROOTS,
} from "./template-text";

export type { TemplateRoot };
export { WORKFLOW_ROOTS };

/** What may be named; a root that is absent here cannot be used. */
export interface TemplateScope {
  params?: Readonly<Record<string, unknown>>;
  env?: Readonly<Record<string, unknown>>;
  step?: Readonly<Record<string, unknown>>;
  args?: Readonly<Record<string, unknown>>;
  item?: unknown;
  item_index?: number;
}

export interface TemplateReference extends TemplateExpression {
  /** Path of the string in the value, such as ["body", "text"]. */
  at: (string | number)[];
  /** True when the string is this expression and nothing else, so that it keeps its type. */
  whole: boolean;
}

export interface TemplateProblem {
  at: (string | number)[];
  /** Characters from the start of the string, counted from 0. */
  offset: number;
  message: string;
}

export class TemplateError extends Error {
  override readonly name = "TemplateError";

  constructor(
    message: string,
    readonly at: (string | number)[],
    readonly offset: number,
  ) {
    super(`${at.length > 0 ? `${formatPath(at)}: ` : ""}${message}`);
  }
}

/** All references and all mistakes of a value; never throws. `roots` are the names allowed before the first dot. */
export function parseTemplates(
  value: unknown,
  roots: readonly TemplateRoot[] = WORKFLOW_ROOTS,
): { references: TemplateReference[]; problems: TemplateProblem[] } {
  const references: TemplateReference[] = [];
  const problems: TemplateProblem[] = [];
  forEachString(value, [], (text, at) => {
    const parsed = parseTemplateText(text, roots);
    problems.push(...parsed.problems.map((problem) => ({ ...problem, at })));
    const whole = isWhole(parsed.parts);
    for (const part of parsed.parts) if (typeof part !== "string") references.push({ ...part, at, whole });
  });
  return { references, problems };
}

/** The references of a value, in the order of the text. Throws TemplateError at the first mistake. */
export function listReferences(value: unknown, roots?: readonly TemplateRoot[]): TemplateReference[] {
  const { references, problems } = parseTemplates(value, roots);
  const [first] = problems;
  if (first) throw new TemplateError(first.message, first.at, first.offset);
  return references;
}

/** True when a value holds a template, well-formed or not. */
export function hasTemplate(value: unknown): boolean {
  const { references, problems } = parseTemplates(value);
  return references.length + problems.length > 0;
}

/** Fills a value in. Throws TemplateError for a mistake or for a value that is not there. */
export function renderTemplate(value: unknown, scope: TemplateScope): unknown {
  const roots = Object.keys(scope).filter((root) => scope[root as TemplateRoot] !== undefined) as TemplateRoot[];
  return mapStrings(value, [], (text, at) => renderText(text, at, scope, roots));
}

/** The value of an expression. Throws TemplateError when it is missing. */
export const readValue = lookUp;

/** The same as text. */
export function readText(
  expression: TemplateExpression,
  at: (string | number)[],
  scope: TemplateScope,
): string | SecretRef {
  return toText(lookUp(expression, at, scope), expression, at);
}

function renderText(text: string, at: (string | number)[], scope: TemplateScope, roots: TemplateRoot[]): unknown {
  const { parts, problems } = parseTemplateText(text, roots);
  const [problem] = problems;
  if (problem) throw new TemplateError(problem.message, at, problem.offset);
  const [first] = parts;
  if (isWhole(parts)) return lookUp(first as TemplateExpression, at, scope);
  const rendered = parts.map((part) => (typeof part === "string" ? part : toText(lookUp(part, at, scope), part, at)));
  if (rendered.some(isSecret)) return SecretRef.join(rendered);
  return rendered.join("");
}

function isWhole(parts: readonly TemplatePart[]): boolean {
  return parts.length === 1 && typeof parts[0] !== "string";
}

function lookUp(expression: TemplateExpression, at: (string | number)[], scope: TemplateScope): unknown {
  let current: unknown = scope[expression.root];
  let walked: string = expression.root;
  for (const name of expression.path) {
    const parent = walked;
    walked = `${walked}.${name}`;
    if (isSecret(current)) {
      throw new TemplateError(`"${parent}" is a secret and has no fields that could be read`, at, expression.offset);
    }
    // Only own properties are read, so `constructor` and `__proto__` name nothing.
    const isThere = current !== null && typeof current === "object" && isReadable(current, name);
    if (!isThere) throw new TemplateError(missing(walked, parent, current), at, expression.offset);
    current = (current as Record<string, unknown>)[name];
  }
  if (current === undefined) throw new TemplateError(`"${walked}" has no value`, at, expression.offset);
  return current;
}

function isReadable(holder: object, name: string): boolean {
  if (name === "__proto__" || name === "constructor" || name === "prototype") return false;
  if (Array.isArray(holder)) return /^(0|[1-9][0-9]*)$/.test(name) && Number(name) < holder.length;
  return Object.hasOwn(holder, name) && (holder as Record<string, unknown>)[name] !== undefined;
}

function missing(walked: string, parent: string, holder: unknown): string {
  if (holder === null || typeof holder !== "object")
    return `"${walked}" has no value: "${parent}" is ${holder === null ? "null" : `a ${typeof holder}`}`;
  if (Array.isArray(holder)) return `"${walked}" has no value: "${parent}" is a list of ${holder.length}`;
  const known = Object.keys(holder).slice(0, 8);
  return `"${walked}" has no value; "${parent}" has ${known.length > 0 ? known.join(", ") : "no fields"}`;
}

function toText(value: unknown, expression: TemplateExpression, at: (string | number)[]): string | SecretRef {
  if (typeof value === "string" || isSecret(value)) return value;
  if (listSecrets(value).length > 0) {
    throw new TemplateError(
      `"${expression.text}" holds a secret inside and cannot be put into text`,
      at,
      expression.offset,
    );
  }
  return JSON.stringify(value);
}

function forEachString(
  value: unknown,
  at: (string | number)[],
  visit: (text: string, at: (string | number)[]) => void,
): void {
  if (typeof value === "string") return visit(value, at);
  if (value === null || typeof value !== "object" || isSecret(value)) return;
  if (Array.isArray(value)) return value.forEach((entry, index) => forEachString(entry, [...at, index], visit));
  for (const [key, entry] of Object.entries(value)) forEachString(entry, [...at, key], visit);
}

function mapStrings(
  value: unknown,
  at: (string | number)[],
  render: (text: string, at: (string | number)[]) => unknown,
): unknown {
  if (typeof value === "string") return render(value, at);
  if (value === null || typeof value !== "object" || isSecret(value)) return value;
  if (Array.isArray(value)) return value.map((entry, index) => mapStrings(entry, [...at, index], render));
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, mapStrings(entry, [...at, key], render)]),
  );
}

function formatPath(at: readonly (string | number)[]): string {
  return at.map((part, index) => (typeof part === "number" ? `[${part}]` : index === 0 ? part : `.${part}`)).join("");
}
