/** A JMESPath expression that cannot be read, or that failed on its data. */
export class JmespathError extends Error {
  override readonly name = "JmespathError";

  constructor(
    readonly kind: "syntax" | "evaluation" | "limit",
    message: string,
    /** Characters from the start of the expression, counted from 0; null when no place can be named. */
    readonly offset: number | null = null,
  ) {
    super(offset === null ? message : `${message} (at character ${offset + 1})`);
  }
}
