/**
 * What the MCP server side needs of the engine: calls of clients, each stored as a run before anything is answered. A
 * request only views that run; losing the request loses nothing.
 */
import type { ToolResult } from "@/lib/tools/rules/tool-result";

/** Who calls, as the token and its session say; never as the request's body says. */
export interface ClientCaller {
  token: { id: string; name: string };
  user: { id: string; name: string };
  /** Name of the profile. */
  profile: string;
  /** Name and version, as the client says. */
  client: string;
  sessionId: string;
}

export interface ClientCallRequest {
  /** The name that the profile has for the server, and the tool's own name. */
  server: string;
  tool: string;
  arguments: Record<string, unknown>;
}

interface StateBase {
  callId: string;
  runId: string;
  server: string;
  tool: string;
}

export type ClientCallState =
  /** A person must decide. */
  | (StateBase & { kind: "pending_approval"; approvalId: string; expiresAt: string | null })
  /** Allowed or approved, and not ended: it is sent, or waits for its server, a rate limit or a paused dispatch. */
  | (StateBase & { kind: "running" })
  /** It was sent, and nobody knows what became of it: a person must find out. */
  | (StateBase & { kind: "outcome_unknown"; message: string })
  | (StateBase & {
      kind: "ended";
      outcome: "succeeded" | "failed" | "denied" | "rejected" | "expired" | "cancelled";
      /** Redacted, in the one shape of all tools; null when no tool was reached. */
      result: ToolResult | null;
      /** Why there is none: for a rejection the code is `rejected` and the message what the reviewer wrote. */
      error: { code: string; message: string } | null;
      /** Set when a reviewer changed the arguments: those that were sent, redacted. */
      editedArguments: Record<string, unknown> | null;
    });

export interface ClientCalls {
  /**
   * Stores the call, or joins the same call of the same token that has not ended or was not delivered. An allowed call is
   * sent, and its end is waited for, until the signal; a call that waits for a person, or of which nobody knows what became
   * of it, comes back at once. Throws
   * KimitsuError for a profile, server or arguments that do not exist or fit.
   */
  call(caller: ClientCaller, request: ClientCallRequest, options: { signal: AbortSignal }): Promise<ClientCallState>;
  /** Null for a call that does not exist or belongs to another token. */
  find(tokenId: string, callId: string): Promise<ClientCallState | null>;
  /** Waits until it has ended, waits for something else than before, or the signal, and gives the state at that time. */
  wait(tokenId: string, callId: string, options: { signal: AbortSignal }): Promise<ClientCallState | null>;
  /** Withdraws what has not been sent. What was sent stays as it is. */
  cancel(caller: ClientCaller, callId: string, reason: string): Promise<ClientCallState | null>;
  /** The answer reached the client: the same call made again is a new one from here on. */
  markDelivered(callId: string): void;
}
