/** The one error class for refusals and faults, and the one map from its codes to HTTP. */

export interface Issue {
  path: string;
  message: string;
}

const HTTP_STATUS = {
  invalid_request: 422,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  config_invalid: 500,
  tool_failed: 502,
  model_failed: 502,
  unavailable: 503,
  internal: 500,
} as const;

export type ErrorCode = keyof typeof HTTP_STATUS;

export interface ErrorOptions {
  /** Every problem of the request, in terms of the request; sent to the caller. */
  issues?: Issue[];
  /** Facts for the log. Never sent to the caller. */
  details?: Record<string, unknown>;
  /** For temporary refusals: when to try again. */
  retryAfterS?: number;
  cause?: unknown;
}

/** `message` is for the caller; `details` and `cause` are for the log, never the reverse. */
export class KimitsuError extends Error {
  override readonly name = "KimitsuError";
  readonly issues: Issue[];
  readonly details: Record<string, unknown>;
  readonly retryAfterS: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.issues = options.issues ?? [];
    this.details = options.details ?? {};
    this.retryAfterS = options.retryAfterS;
  }

  /**
   * Recognised by its name: requests and the worker are bundled separately, so one process has this class twice.
   * Subclasses are recognised in the usual way.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== KimitsuError) return Function.prototype[Symbol.hasInstance].call(this, value);
    return value instanceof Error && value.name === "KimitsuError";
  }

  get httpStatus(): number {
    return HTTP_STATUS[this.code];
  }
}
