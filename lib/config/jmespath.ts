/** JMESPath for conditions, transforms and policies: compiled with a position for errors, evaluated within bounds. */
import { compile as parse } from "@jmespath-community/jmespath";
import { closest } from "fastest-levenshtein";
import { z } from "zod";
import { checkJson, EvaluationBudget } from "./jmespath-budget";
import { JmespathError } from "./jmespath-error";
import { BoundedInterpreter, FUNCTION_SIGNATURES, type Node } from "./jmespath-interpreter";
import { listPaths } from "./jmespath-paths";
import { prepareSource, type PreparedSource } from "./jmespath-source";
import { findNearest } from "./problem";

const EXPRESSION_LENGTH_MAX = 4_096;
/** Depth of the syntax tree: a chain of `||` over a few hundred terms still fits. */
const TREE_DEPTH_MAX = 400;

export interface JmespathOptions {
  /** Ids that may follow `step.`; ids with hyphens need no quotes. Without it any hyphenated run is one id. */
  stepIds?: Iterable<string>;
  /**
   * Comparing by size what is not two numbers is an error instead of null. For guards, where null would let a call
   * pass.
   */
  strictComparisons?: boolean;
}

export interface CompiledExpression {
  readonly source: string;
  /** The field paths that are read from the root of the data, such as ["step", "parse-x", "field"]. */
  readonly paths: readonly (readonly string[])[];
  /** Throws JmespathError; never returns undefined. */
  evaluate(data: unknown): unknown;
}

/** Throws JmespathError with the place of the mistake. */
export function compile(source: string, options: JmespathOptions = {}): CompiledExpression {
  if (typeof source !== "string" || source.trim() === "")
    throw new JmespathError("syntax", "the expression is empty", 0);
  if (source.length > EXPRESSION_LENGTH_MAX) {
    throw new JmespathError(
      "limit",
      `the expression has ${source.length} characters; ${EXPRESSION_LENGTH_MAX} is the most`,
    );
  }
  const prepared = prepareSource(source, options.stepIds && new Set(options.stepIds));
  const tree = parseWithPosition(prepared);
  checkTree(tree, source);
  const strict = options.strictComparisons ?? false;
  return { source, paths: listPaths(tree), evaluate: (data) => evaluate(tree, data, strict) };
}

/** A YAML field that holds an expression: refused at load, with the place of the mistake. */
export function jmespathSchema(options: JmespathOptions = {}) {
  return z.string().superRefine((source, context) => {
    try {
      compile(source, options);
    } catch (error) {
      context.addIssue({
        code: "custom",
        message: `not a JMESPath expression: ${(error as Error).message}`,
        input: source,
      });
    }
  });
}

/** Truthiness as in JMESPath: everything but null, false, "", [] and {}. */
export function isTruthy(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return false;
  if (typeof value !== "object") return true;
  return Object.keys(value).length > 0;
}

function evaluate(tree: Node, data: unknown, strict: boolean): unknown {
  checkJson(data, "the data");
  try {
    const result = new BoundedInterpreter(new EvaluationBudget(), strict).search(tree, data) ?? null;
    checkJson(result, "the result");
    return result;
  } catch (error) {
    if (error instanceof JmespathError) throw error;
    throw new JmespathError("evaluation", error instanceof Error ? error.message : "the expression failed");
  }
}

function parseWithPosition(prepared: PreparedSource): Node {
  try {
    return parse(prepared.text);
  } catch (error) {
    if (error instanceof RangeError) throw new JmespathError("limit", "the expression is nested too deep to be read");
    const place = firstBadCharacter(prepared.text);
    throw new JmespathError(
      "syntax",
      readable((error as Error).message, prepared.text),
      prepared.originalOffset(place),
    );
  }
}

/**
 * The parser does not say where it stopped, but it reads from left to right: the mistake is at the end of the shortest
 * beginning that fails for another reason than ending too early. The search halves, so it costs a dozen parses.
 */
function firstBadCharacter(text: string): number {
  const isViable = (length: number) => {
    try {
      parse(text.slice(0, length));
      return true;
    } catch (error) {
      return /\bEOF\b|unexpected end/.test((error as Error).message);
    }
  };
  if (isViable(text.length)) return text.length;
  let [viable, broken] = [0, text.length];
  while (broken - viable > 1) {
    const middle = (viable + broken) >> 1;
    if (isViable(middle)) viable = middle;
    else broken = middle;
  }
  return broken - 1;
}

function readable(message: string, text: string): string {
  if (text.includes("{{")) return "templates cannot be used here; write the names without braces";
  const number = /^Syntax error[:,]? *invalid token \(Number\): "?(-?[\d.]+)"?$/i.exec(message)?.[1];
  if (number !== undefined) return `a number stands in backticks; write \`${number}\``;
  return (
    message.replace(/^Syntax error[:,]? */i, "").replace(/\(?\bEOF\b\)?(?:: "")?/, "end of the expression") ||
    "syntax error"
  );
}

function checkTree(tree: Node, source: string): void {
  const visit = (node: unknown, depth: number, isBinding = false): void => {
    if (node === null || typeof node !== "object") return;
    if (depth > TREE_DEPTH_MAX)
      throw new JmespathError("limit", `the expression is nested more than ${TREE_DEPTH_MAX} deep`);
    const { type, name, children, value } = node as {
      type?: string;
      name?: string;
      children?: unknown[];
      value?: unknown;
    };
    if (type === "Function") checkFunction(name as string, (children as unknown[]).length, source);
    if (type === "Literal") return checkJson(value, "a literal");
    // The library accepts an assignment anywhere and returns an object for it, which is truthy.
    if ((type === "Binding") !== isBinding && !Array.isArray(node))
      throw new JmespathError("syntax", "a single `=` belongs into `let`; write == to compare");
    for (const [key, child] of Object.entries(node)) {
      const areBindings = Array.isArray(node) ? isBinding : type === "LetExpression" && key === "bindings";
      visit(child, Array.isArray(node) ? depth : depth + 1, areBindings);
    }
  };
  visit(tree, 0);
}

function checkFunction(name: string, given: number, source: string): void {
  const signature = FUNCTION_SIGNATURES.get(name);
  const offset = Math.max(0, source.search(new RegExp(`\\b${name}\\s*\\(`)));
  if (!signature) {
    const nearest = findNearest(name, [closest(name, [...FUNCTION_SIGNATURES.keys()])]);
    throw new JmespathError(
      "syntax",
      `unknown function ${name}()${nearest === undefined ? "" : `; the nearest is ${nearest}()`}`,
      offset,
    );
  }
  const least = signature.filter((parameter) => !parameter.optional).length;
  const most = signature.at(-1)?.variadic ? Number.POSITIVE_INFINITY : signature.length;
  if (given >= least && given <= most) return;
  const wanted =
    most === least ? `${least}` : most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
  throw new JmespathError("syntax", `${name}() takes ${wanted} arguments but has ${given}`, offset);
}
