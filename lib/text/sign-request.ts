/**
 * Signs a request by the Standard Webhooks scheme, for which there are libraries in most languages: HMAC-SHA256 over
 * the id, the time and the body, so that a recorded request can be refused when it is old or repeated.
 */
import { createHmac } from "node:crypto";

const PREFIX = "whsec_";

export interface SignedRequest {
  /** The same when the request is sent again. */
  id: string;
  at: Date;
  body: string;
}

export function signRequest({ id, at, body }: SignedRequest, secret: string): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  // A secret in the scheme's own form is base64; any other is taken as it is written.
  const key = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), "base64")
    : Buffer.from(secret, "utf8");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
}
