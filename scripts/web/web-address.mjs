/**
 * An address whose percent-encoding is broken names nothing; Next.js would answer it with a fault of its own, and with
 * none of our headers.
 */
import { refuse } from "./web-refusal.mjs";

/** Answers 400 and says true when the path cannot be decoded. */
export function refuseMalformed(request, response) {
  const [path] = request.url.split("?", 1);
  if (isDecodable(path)) return false;
  const message =
    "The path of the address is not valid percent-encoding: write a % as %25, and other characters as the bytes of UTF-8.";
  refuse(request, response, {
    status: 400,
    code: "invalid_request",
    message,
    issues: [{ path: "path", message: "is not valid percent-encoding" }],
  });
  return true;
}

function isDecodable(path) {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
