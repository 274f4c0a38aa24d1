/**
 * `/mcp` is answered before Next.js, which would cost half of the requests that a process can take. Nothing is answered
 * under the addresses of OAuth discovery: a client that finds something there ignores the token that it was given.
 */
import { refuse } from "./web-refusal.mjs";

const PATH = "/mcp";
const DISCOVERY = /^\/\.well-known\/(oauth-|openid-configuration)/;
/** Set by the application on a response that waits for a person. */
const HELD = Symbol.for("kimitsu.held");
const RETRY_AFTER_S = 2;

export const isHeld = (response) => response[HELD] === true;

/** Says true when it has answered, or will. */
export function serveMcp(request, response) {
  const [path] = request.url.split("?", 1);
  if (DISCOVERY.test(path)) {
    const message = "There is no OAuth here; clients use a token: Authorization: Bearer <token>.";
    refuse(request, response, { status: 404, code: "not_found", message });
    return true;
  }
  if (path !== PATH) return false;
  const handle = globalThis.__kimitsuMcp;
  if (handle) void handle(request, response);
  else {
    const message = "MCP clients cannot be served by this process yet; the log says why.";
    refuse(request, response, { status: 503, code: "unavailable", message, headers: { "retry-after": RETRY_AFTER_S } });
  }
  return true;
}
