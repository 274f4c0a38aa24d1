import type { z } from "zod";
import type { Scope } from "@/lib/people/rules/roles";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/**
 * One call of the HTTP API, described once: the handler is checked against it, the OpenAPI document is generated from
 * it, tests and the browser take their types from it.
 */
export interface Operation<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  id: string;
  method: Method;
  /** With `{name}` for each parameter. */
  path: string;
  tag: string;
  summary: string;
  description?: string;
  /** What the caller must be allowed; `public` needs no sign-in. */
  permission: Scope | "public";
  /**
   * How else a caller can authenticate, or what is answered before anybody has: the handler then calls `signIn` when it
   * needs a principal.
   */
  ownDoor?: string;
  /** For probes: answered however busy the process is, or nobody could see that it is busy. */
  isProbe?: boolean;
  /** Creates something, so a repeated request with the same `Idempotency-Key` must not create it twice. */
  creates?: boolean;
  params?: Params;
  query?: Query;
  body?: Body;
  /**
   * JSON of this form; a string is the content type of anything else, or several with commas, which the handler makes
   * itself.
   */
  response: Answer | string;
  /** Status of success; 200 by default. */
  status?: number;
  /** Other answers than success that are not the caller's errors, such as 503 of /readyz, in the same form. */
  otherStatuses?: Record<number, string>;
}

export function defineOperation<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  operation: Operation<P, Q, B, A>,
): Operation<P, Q, B, A> {
  return operation;
}
