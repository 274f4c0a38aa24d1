/** Bounds on one evaluation, so that neither an expression nor its data can block a process. */
import { JmespathError } from "./jmespath-error";
import { isSecret } from "./secret-ref";

/** Visits of the syntax tree, comparisons and copied values: about a tenth of a second. */
const STEPS_MAX = 1_000_000;
/** Characters in any one string that a function builds. */
const STRING_LENGTH_MAX = 4_000_000;
/** Nesting of the data; the walk below and the library are recursive. */
const DATA_DEPTH_MAX = 256;
const DATA_VALUES_MAX = 1_000_000;

export class EvaluationBudget {
  #steps = 0;

  spend(steps = 1): void {
    this.#steps += steps;
    if (this.#steps > STEPS_MAX) throw new JmespathError("limit", `evaluation took more than ${STEPS_MAX} steps`);
  }

  string(length: number): void {
    if (length > STRING_LENGTH_MAX) {
      throw new JmespathError("limit", `a string of ${length} characters is longer than ${STRING_LENGTH_MAX}`);
    }
  }

  /** Deep equality as in JSON. Shared parts are compared each time they occur, so every comparison is counted. */
  equal(left: unknown, right: unknown): boolean {
    this.spend();
    if (left === right) return true;
    if (left === null || right === null || typeof left !== "object" || typeof right !== "object") return false;
    if (Array.isArray(left) || Array.isArray(right)) {
      if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false;
      return left.every((value, index) => this.equal(value, right[index]));
    }
    const keys = Object.keys(left);
    if (keys.length !== Object.keys(right).length) return false;
    return keys.every((key) => Object.hasOwn(right, key) && this.equal((left as Values)[key], (right as Values)[key]));
  }
}

type Values = Record<string, unknown>;

/** Refuses what is not JSON, what holds a secret, and what is too deep or too large to walk. */
export function checkJson(value: unknown, what: string): void {
  let values = 0;
  const walk = (current: unknown, depth: number): void => {
    values += 1;
    if (values > DATA_VALUES_MAX) throw new JmespathError("limit", `${what} holds more than ${DATA_VALUES_MAX} values`);
    if (depth > DATA_DEPTH_MAX) throw new JmespathError("limit", `${what} is nested more than ${DATA_DEPTH_MAX} deep`);
    if (current === null || typeof current === "string" || typeof current === "boolean") return;
    if (typeof current === "number" && Number.isFinite(current)) return;
    if (isSecret(current))
      throw new JmespathError("evaluation", `${what} holds a secret, which an expression may not read`);
    if (Array.isArray(current)) return current.forEach((entry) => walk(entry, depth + 1));
    if (typeof current !== "object")
      throw new JmespathError("evaluation", `${what} holds a value that JSON cannot carry`);
    for (const key of Object.keys(current)) walk((current as Values)[key], depth + 1);
  };
  walk(value, 0);
}
