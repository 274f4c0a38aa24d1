import { createHmac, hkdfSync } from "node:crypto";
import canonicalize from "canonicalize";
import type { Principal } from "@/lib/people/session/principal";
import { env } from "@/lib/env";
import { KimitsuError } from "@/lib/errors";
import type { Operation } from "@/lib/http/operation";

/** What makes two requests the same one: who asks, under which key, and for what. */
export interface RequestKey {
  principal: string;
  key: string;
  digest: string;
}

const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/** Null when the caller sent no `Idempotency-Key`. */
export function readRequestKey(
  request: Request,
  operation: Pick<Operation, "id">,
  { principal, asked }: { principal: string; asked: unknown },
): RequestKey | null {
  const key = request.headers.get("idempotency-key");
  if (key === null) return null;
  if (!KEY_FORM.test(key)) {
    const message = "must have 1 to 255 printable ASCII characters without spaces";
    throw new KimitsuError("invalid_request", `The Idempotency-Key ${message}.`, {
      issues: [{ path: "header.idempotency-key", message }],
    });
  }
  return { principal, key, digest: digestOf(`${operation.id}\n${canonicalize(asked)}`) };
}

/** Keyed: the request may hold a secret, and the stored digest must not allow guessing likely values. */
function digestOf(text: string): string {
  const key = Buffer.from(hkdfSync("sha256", env.AUTH_SECRET ?? "", "", "kimitsu/idempotency/1", 32));
  return createHmac("sha256", key).update(text).digest("hex");
}

/** A token and its person are different requesters: each has keys of its own. */
export const requesterOf = ({ user, token }: Principal): string => (token ? `token:${token.id}` : `user:${user.id}`);
