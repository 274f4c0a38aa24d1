import type { z } from "zod";
import { CLIENT_ADDRESS_HEADER } from "@/lib/people/session/client-address";
import { can, type Principal } from "@/lib/people/session/principal";
import { readSession } from "@/lib/people/session/read-session";
import type { Scope } from "@/lib/people/rules/roles";
import { type Issue, KimitsuError } from "@/lib/errors";
import { errorResponse } from "@/lib/http/error-response";
import { requesterOf } from "@/lib/http/idempotency";
import type { Operation } from "@/lib/http/operation";
import { readJsonBody } from "@/lib/http/read-body";
import { countRequest, refuseWhenDatabaseIsBehind } from "@/lib/http/request-limits";
import { requireSameOrigin } from "@/lib/http/same-origin";
import { createId } from "@/lib/ids";
import { log } from "@/lib/log";
import { metrics } from "@/lib/telemetry/metrics";
import { recordOperation } from "@/lib/telemetry/record-request";

export interface RouteContext<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  /** Null only where the operation is public or authenticates callers itself. */
  principal: Principal | null;
  /** For operations that authenticate callers themselves: the caller by session or token, or a refusal. */
  signIn: () => Promise<Principal>;
  request: Request;
  requestId: string;
}

/** What a handler returns: data to be checked and sent, or a whole response for what is not JSON. */
type HandlerResult<A> = { status?: number; data: A } | Response;

type NextHandler = (
  request: Request,
  context: { params: Promise<Record<string, string | string[] | undefined>> },
) => Promise<Response>;

export interface RouteDeps {
  /** Statements of this process that wait for a connection to the database. */
  databaseWaiting(): number;
  authenticateToken(given: { token: string; address: string }): Promise<Principal>;
}

/**
 * Makes `route()`: authenticate, authorize, parse, run, check the answer, map errors. A handler then needs one call
 * only.
 */
export function createRoute(deps: RouteDeps) {
  return function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
    operation: Operation<P, Q, B, A>,
    handler: (context: RouteContext<z.output<P>, z.output<Q>, z.output<B>>) => Promise<HandlerResult<z.input<A>>>,
  ): NextHandler {
    return async (request, context) => {
      const requestId = request.headers.get("x-request-id") ?? createId("request");
      const stop = metrics().requestSeconds.startTimer({ operation: operation.id, method: request.method });
      recordOperation(operation.id, requestId);
      let principal: Principal | null = null;
      let isBegun = false;
      let response: Response;
      try {
        const { permission } = operation;
        if (!operation.isProbe) refuseWhenDatabaseIsBehind(deps.databaseWaiting());
        const signIn = async () => {
          const caller = await authenticate(request, deps);
          if (!operation.isProbe) countRequest(requesterOf(caller));
          return (principal = permission === "public" ? caller : authorize(caller, permission));
        };
        if (permission !== "public" && !operation.ownDoor) await signIn();
        const parsed = await parseRequest(operation, request, await context.params);
        isBegun = true;
        response = toResponse(
          operation,
          await handler({ ...parsed, principal, signIn, request, requestId }),
          requestId,
        );
      } catch (error) {
        response = errorResponse(error, requestId, isBegun && request.method !== "GET");
      }
      stop({ status: response.status });
      log.debug(
        { request_id: requestId, operation: operation.id, status: response.status, ...describe(principal) },
        "answered",
      );
      return response;
    };
  };
}

/** A field named `token` would be taken for the token itself, and be redacted. */
const describe = (principal: Principal | null) => ({ user: principal?.user.id, token_id: principal?.token?.id });

async function authenticate(request: Request, deps: RouteDeps): Promise<Principal> {
  const header = request.headers.get("authorization");
  if (header !== null) {
    const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
    if (!token) throw new KimitsuError("unauthorized", "The Authorization header must read: Bearer <token>.");
    return deps.authenticateToken({ token, address: request.headers.get(CLIENT_ADDRESS_HEADER) ?? "unknown" });
  }
  const session = await readSession(request.headers);
  if (!session) throw new KimitsuError("unauthorized", "Sign in, or send an API token: Authorization: Bearer <token>.");
  requireSameOrigin(request);
  return session;
}

function authorize(principal: Principal, scope: Scope): Principal {
  if (can(principal, scope)) return principal;
  const why =
    principal.token && !principal.token.scopes.includes(scope)
      ? `The token ${principal.token.name} has no scope ${scope}`
      : `The role ${principal.user.role} does not include ${scope}`;
  throw new KimitsuError("forbidden", `${why}.`);
}

async function parseRequest<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType>(
  operation: Operation<P, Q, B>,
  request: Request,
  params: Record<string, unknown>,
): Promise<{ params: z.output<P>; query: z.output<Q>; body: z.output<B> }> {
  const issues: Issue[] = [];
  const parse = <S extends z.ZodType>(schema: S | undefined, value: unknown, prefix: string): z.output<S> => {
    const parsed = schema?.safeParse(value);
    if (parsed?.success) return parsed.data;
    for (const issue of parsed?.error.issues ?? [])
      issues.push({ path: [prefix, ...issue.path].join("."), message: issue.message });
    return undefined as z.output<S>;
  };
  const parts = {
    params: parse(operation.params, params, "path"),
    query: parse(operation.query, readQuery(request), "query"),
    body: parse(operation.body, operation.body ? await readJsonBody(request) : undefined, "body"),
  };
  if (issues.length > 0) {
    throw new KimitsuError(
      "invalid_request",
      `The request was refused: ${issues.map((issue) => `${issue.path}: ${issue.message}`).join("; ")}`,
      { issues },
    );
  }
  return parts;
}

/** Postgres stores no NUL in text, so one in an address is a mistake or a probe. */
function readQuery(request: Request): Record<string, string> {
  const { searchParams } = new URL(request.url);
  const strange = [...searchParams].find(([name, value]) => `${name}${value}`.includes("\0"));
  if (strange)
    throw new KimitsuError("invalid_request", "The address holds a NUL character.", {
      issues: [{ path: "query", message: "holds a NUL character" }],
    });
  return Object.fromEntries(searchParams);
}

function toResponse<A extends z.ZodType>(
  operation: Operation<z.ZodType, z.ZodType, z.ZodType, A>,
  result: HandlerResult<z.input<A>>,
  requestId: string,
): Response {
  if (result instanceof Response) {
    result.headers.set("x-request-id", requestId);
    return result;
  }
  if (typeof operation.response === "string")
    throw new Error(`unreachable: ${operation.id} answers ${operation.response} and must return a Response`);
  // An answer that breaks the documented form is a fault of ours, and must not reach a client that relies on the form.
  const data = operation.response.parse(result.data);
  return Response.json(data, {
    status: result.status ?? operation.status ?? 200,
    headers: { "cache-control": "no-store", "x-request-id": requestId },
  });
}
