/** A failure that a person can act on: printed without a stack, because the message says all there is to know. */
export class PlainError extends Error {
  name = "PlainError";

  constructor(message, { exitCode = 1, cause } = {}) {
    super(message, { cause });
    this.exitCode = exitCode;
  }
}

/** Prints a failure and returns the exit code. Anything that is not a PlainError is a defect, so its stack is shown. */
export function reportFailure(error) {
  if (error instanceof PlainError) console.error(`\n${error.message}`);
  else console.error("\nUnexpected failure:", error);
  return error instanceof PlainError ? error.exitCode : 1;
}
