/**
 * The library's interpreter with a budget and three corrections: fields are own properties only (so `constructor` is
 * absent, not a function), data cannot be mistaken for an expression reference, and arithmetic never yields NaN or
 * Infinity.
 */
import { type compile as parse, TreeInterpreter } from "@jmespath-community/jmespath";
import type { EvaluationBudget } from "./jmespath-budget";
import { JmespathError } from "./jmespath-error";
import { correctedFunctions } from "./jmespath-functions";

export type Node = ReturnType<typeof parse>;
type Signature = { types: number[]; variadic?: boolean; optional?: boolean };

interface Runtime {
  _functionTable: Record<string, { _func: (values: unknown[]) => unknown; _signature: Signature[] }>;
  getTypeName(value: unknown): number | undefined;
}

interface Scope {
  withScope(values: Record<string, unknown>): Scope;
}

interface Interpreter {
  runtime: Runtime;
  _rootValue: unknown;
  _scope: Scope;
  search(node: Node, value: unknown): unknown;
  visit(node: Node, value: unknown): unknown;
  withScope(values: Record<string, unknown>): Interpreter;
}

// The package exports one shared instance and not its class; the class is needed because the instance keeps state.
const BaseInterpreter = TreeInterpreter.constructor as unknown as new () => Interpreter;
/** The library's number for "expression" among its argument types. */
const TYPE_EXPRESSION = 6;

/** Names and signatures of the functions an expression may call. */
export const FUNCTION_SIGNATURES: ReadonlyMap<string, readonly Signature[]> = new Map(
  Object.entries((TreeInterpreter as unknown as Interpreter).runtime._functionTable).map(([name, entry]) => [
    name,
    entry._signature,
  ]),
);

export class BoundedInterpreter extends BaseInterpreter {
  readonly #budget: EvaluationBudget;
  readonly #strict: boolean;
  readonly #expressions: WeakSet<object>;

  constructor(budget: EvaluationBudget, strict: boolean, expressions = new WeakSet<object>()) {
    super();
    this.#budget = budget;
    this.#strict = strict;
    this.#expressions = expressions;
    const baseTypeName = this.runtime.getTypeName.bind(this.runtime);
    this.runtime.getTypeName = (value) => {
      if (value === null || typeof value !== "object" || Array.isArray(value)) return baseTypeName(value);
      return expressions.has(value) ? TYPE_EXPRESSION : baseTypeName({});
    };
    for (const [name, run] of Object.entries(correctedFunctions(budget, (node) => this.#key(node)))) {
      const entry = this.runtime._functionTable[name];
      if (!entry) throw new Error(`unreachable: the JMESPath library has no function ${name}`);
      this.runtime._functionTable[name] = { ...entry, _func: run };
    }
  }

  override visit(node: Node, value: unknown): unknown {
    this.#budget.spend();
    switch (node.type) {
      case "Field":
        return isRecord(value) && Object.hasOwn(value, node.name) ? (value[node.name] ?? null) : null;
      case "ExpressionReference": {
        const reference = { ...node.child };
        this.#expressions.add(reference);
        return reference;
      }
      case "MultiSelectHash":
        return Object.fromEntries(node.children.map((child) => [child.name, this.visit(child.value, value)]));
      case "Comparator":
        return this.#compare(node, value);
      case "Arithmetic": {
        const result = super.visit(node, value);
        if (!Number.isFinite(result))
          throw new JmespathError("evaluation", "not-a-number: the result is too large or undefined");
        return result;
      }
      default:
        return super.visit(node, value);
    }
  }

  /** The base class would make an unbounded interpreter, and its functions would not see the variables. */
  override withScope(values: Record<string, unknown>): Interpreter {
    const inner = new BoundedInterpreter(this.#budget, this.#strict, this.#expressions);
    inner._rootValue = this._rootValue;
    inner._scope = this._scope.withScope(values);
    return inner;
  }

  #compare(node: Extract<Node, { type: "Comparator" }>, value: unknown): unknown {
    const left = this.visit(node.left, value);
    const right = this.visit(node.right, value);
    if (node.name === "EQ") return this.#budget.equal(left, right);
    if (node.name === "NE") return !this.#budget.equal(left, right);
    if (typeof left !== "number" || typeof right !== "number") {
      if (!this.#strict) return null;
      throw new JmespathError("evaluation", `${describe(left)} and ${describe(right)} cannot be compared by size`);
    }
    if (node.name === "GT") return left > right;
    if (node.name === "GTE") return left >= right;
    return node.name === "LT" ? left < right : left <= right;
  }

  #key(expression: unknown): (element: unknown) => string | number {
    return (element) => {
      const key = this.visit(expression as Node, element);
      if (typeof key === "string" || typeof key === "number") return key;
      throw new JmespathError("evaluation", `Invalid type: a key must be a string or a number, not ${describe(key)}`);
    };
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
