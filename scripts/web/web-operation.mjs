/**
 * A request that the API answers goes to its route handler without proxy.ts, which would copy its headers and its body
 * to make it ready for a page. What proxy.ts gives an answer of the API is given here: a request id, and a policy by
 * which a browser does nothing with it.
 */
import { randomUUID } from "node:crypto";

/** Also in the matcher of proxy.ts. A client that sends it says nothing by it. */
const HEADER = "x-kimitsu-operation";
const POLICY = "default-src 'none'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** Which addresses those are the application says, once it is loaded; until then proxy.ts sees everything. */
export function markOperation(request, response) {
  delete request.headers[HEADER];
  const [path] = request.url.split("?", 1);
  if (!globalThis.__kimitsuIsOperation?.(request.method, path)) return;
  request.headers[HEADER] = "1";
  request.headers["x-request-id"] = `req_${randomUUID().replaceAll("-", "")}`;
  response.setHeader("content-security-policy", POLICY);
}
