/**
 * What is refused before Next.js has seen it: in the API's one shape, and in a line of plain text for who asked for a
 * page.
 */
import { randomUUID } from "node:crypto";

export function refuse(request, response, { status, code, message, issues = [], headers = {} }) {
  const requestId = `req_${randomUUID().replaceAll("-", "")}`;
  const isPage = request.headers.accept?.includes("text/html") ?? false;
  const body = isPage ? `${message}\n` : JSON.stringify({ error: { code, message, request_id: requestId, issues } });
  response.writeHead(status, {
    "content-type": isPage ? "text/plain; charset=utf-8" : "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": requestId,
    ...headers,
  });
  response.end(body);
  // A body that nobody reads would block the connection for the next request.
  request.resume();
}
