/**
 * The `fetch` of one server's connection: adds the credential, stays on the server's origin, follows no redirect,
 * limits what comes back.
 */
import type { FetchLike } from "@modelcontextprotocol/client";
import { listSecrets } from "@/lib/config/secret-ref";
import { KimitsuError } from "@/lib/errors";
import { traceParent } from "@/lib/telemetry/span";
import { type CallWatch, sendContext } from "./call-watch";
import { EgressRefused, type GuardedFetch } from "./egress";
import { type BodyLimits, limitResponse } from "./limit-body";
import type { ToolServer } from "./tool-server";

/**
 * The server redirects the request. It is not followed: neither the credential nor the call may go where the server
 * points.
 */
export class RedirectRefused extends KimitsuError {}

export interface ServerFetchOptions {
  server: ToolServer;
  origin: string;
  guardedFetch: GuardedFetch;
  limits: BodyLimits;
  /**
   * A limit was exceeded outside of a call, as on the stream of announcements: the connection must not be used again.
   */
  onExceeded(): void;
}

export function createServerFetch({ server, origin, guardedFetch, limits, onExceeded }: ServerFetchOptions): FetchLike {
  const holdsSecret =
    server.resolved.auth !== null ||
    Object.values(server.resolved.params).some((param) => listSecrets(param.value).length > 0);
  return async (url, init = {}) => {
    const target = new URL(url);
    if (target.origin !== origin)
      throw new EgressRefused(
        "forbidden",
        `Server ${server.definition.name} points to ${target.origin}; only its own origin ${origin} is spoken to.`,
      );
    const headers = new Headers(init.headers);
    const call = sendContext.getStore() ?? null;
    if (call) for (const [name, value] of Object.entries(traceParent())) headers.set(name, value);
    addCredential(headers, server);
    const signal = call && init.signal ? AbortSignal.any([call.signal, init.signal]) : (call?.signal ?? init.signal);
    // A client that requests the rest of a broken stream does so within the same call; only the answer to the call
    // itself counts for it.
    const carried = init.method === "POST" ? call : null;
    const onSend = carried ? () => carried.markSent() : undefined;
    const response = await guardedFetch(target, {
      method: init.method,
      body: init.body,
      headers,
      signal,
      onSend,
      isFreshSocket: carried !== null,
      holdsSecret,
    });
    carried?.answered(response.status);
    if (response.status >= 300 && response.status < 400) return refuseRedirect(server, response);
    return limitResponse(response, limits, {
      onExceeded: (error) => (call ? call.exceeded(error) : onExceeded()),
      onEnd: (isResumable) => endCall(call, response, isResumable),
    });
  };
}

/** With HTTP+SSE the answer to the POST is only a receipt (202): the real one comes on the stream. */
function endCall(call: CallWatch | null, response: Response, isResumable: boolean): void {
  if (response.status !== 202) call?.streamEnded(isResumable);
}

function addCredential(headers: Headers, { definition, resolved, secrets }: ToolServer): void {
  if (!resolved.auth) return;
  const value = resolved.auth.value.reveal(secrets);
  // The platform's own error message would contain the value.
  if (!/^[\x21-\x7E\x80-\xFF](?:[\t\x20-\x7E\x80-\xFF]*[\x21-\x7E\x80-\xFF])?$/.test(value)) {
    throw new KimitsuError(
      "config_invalid",
      `The secret of server ${definition.name} cannot stand in the header ${resolved.auth.header}: it is empty, begins or ends with white space, or has characters that headers cannot carry.`,
    );
  }
  headers.set(resolved.auth.header, value);
}

async function refuseRedirect({ definition }: ToolServer, response: Response): Promise<never> {
  await response.body?.cancel();
  const location = response.headers.get("location") ?? "";
  const target = URL.canParse(location) ? new URL(location).origin : "another place";
  throw new RedirectRefused(
    "tool_failed",
    `Server ${definition.name} answers with a redirect (HTTP ${response.status}) to ${target}, which is not followed. Put the final address into its url.`,
  );
}
